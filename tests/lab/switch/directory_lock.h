// SPDX-License-Identifier: Apache-2.0
// DirectoryLock: the right to be the one switch of a directory, held until destruction.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::lab {

class DirectoryLock {
 public:
  // Locks the directory itself (flock(2)) and makes it the working directory, because unix socket
  // paths may have 107 bytes only. kBusy when another process holds it.
  static Result<DirectoryLock> enter(const std::string& path);

 private:
  explicit DirectoryLock(UniqueFd directory);

  UniqueFd directory_;
};

}  // namespace rocelane::lab
