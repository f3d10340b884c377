// SPDX-License-Identifier: Apache-2.0
// Where a built program is: below ROCELANE_PROGRAM_DIR when that is set (the tests were carried to
// another machine), else where the build put it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace rocelane::test {

inline std::string program_under_test(const std::string& built_at) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in the tests sets the environment
  const char* directory = std::getenv("ROCELANE_PROGRAM_DIR");
  if (directory == nullptr) {
    return built_at;
  }
  return (std::filesystem::path(directory) / std::filesystem::path(built_at).filename()).string();
}

}  // namespace rocelane::test
