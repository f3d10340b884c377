// SPDX-License-Identifier: Apache-2.0
#include "node-agent/directory_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace rocelane::agent {

namespace {

constexpr std::uint32_t kEntryChanges =
    IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;

}  // namespace

Result<DirectoryWatch> DirectoryWatch::open() {
  UniqueFd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!fd.valid()) {
    return Error::from_errno(errno, "inotify_init1");
  }
  return DirectoryWatch(std::move(fd));
}

Result<void> DirectoryWatch::add(const std::string& directory) {
  if (::inotify_add_watch(fd_.get(), directory.c_str(), kEntryChanges | IN_ONLYDIR) < 0) {
    return Error::from_errno(errno, "watching " + directory);
  }
  return {};
}

void DirectoryWatch::drain() {
  std::array<char, 4096> chunk{};
  while (::read(fd_.get(), chunk.data(), chunk.size()) > 0) {
  }
}

}  // namespace rocelane::agent
