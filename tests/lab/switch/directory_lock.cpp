// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace rocelane::lab {

DirectoryLock::DirectoryLock(UniqueFd directory) : directory_(std::move(directory)) {}

Result<DirectoryLock> DirectoryLock::enter(const std::string& path) {
  UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.valid()) {
    return Error::from_errno(errno, "opening directory " + path);
  }
  if (::flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) {
      return Error::make(Code::kBusy, "another switch runs in " + path);
    }
    return Error::from_errno(errno, "locking " + path);
  }
  if (::fchdir(directory.get()) != 0) {
    return Error::from_errno(errno, "entering " + path);
  }
  return DirectoryLock(std::move(directory));
}

}  // namespace rocelane::lab
