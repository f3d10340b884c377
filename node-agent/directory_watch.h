// SPDX-License-Identifier: Apache-2.0
// Directories whose entries are watched (inotify(7)). Watching directories rather than files sees
// renames over a file and the symlink swap of a ConfigMap volume.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::agent {

class DirectoryWatch {
 public:
  static Result<DirectoryWatch> open();

  // Idempotent: also the way to watch a directory that was removed and made again.
  Result<void> add(const std::string& directory);
  // Throws away what is queued. Which entry changed does not matter: the reader looks at the whole.
  void drain();
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  explicit DirectoryWatch(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace rocelane::agent
