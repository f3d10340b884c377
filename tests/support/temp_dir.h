// SPDX-License-Identifier: Apache-2.0
// TempDir: a fresh directory, removed with everything in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "lib/base/result.h"

namespace rocelane::test {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rocelane.XXXXXX").string();
    ROCELANE_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace rocelane::test
