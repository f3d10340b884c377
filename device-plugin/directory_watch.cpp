// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/directory_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "lib/base/log.h"

namespace rocelane::plugin {

namespace {

constexpr std::chrono::milliseconds kRetry{1000};

// A socket appears with CREATE; a file is complete with CLOSE_WRITE or MOVED_TO.
constexpr std::uint32_t kMask =
    IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;

constexpr std::size_t kBufferBytes = std::size_t{16} * 1024;

}  // namespace

Result<std::unique_ptr<DirectoryWatch>> DirectoryWatch::start(EventLoop& loop,
                                                              std::string directory,
                                                              OnChange on_change) {
  UniqueFd fd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!fd.valid()) {
    return Error::from_errno(errno, "inotify_init1");
  }
  auto watch = std::unique_ptr<DirectoryWatch>(
      new DirectoryWatch(loop, std::move(fd), std::move(directory), std::move(on_change)));
  watch->arm();
  return watch;
}

DirectoryWatch::DirectoryWatch(EventLoop& loop, UniqueFd fd, std::string directory,
                               OnChange on_change)
    : directory_(std::move(directory)),
      on_change_(std::move(on_change)),
      fd_(std::move(fd)),
      readable_(loop, fd_.get(), [this] { read_events(); }),
      again_(loop) {}

void DirectoryWatch::arm() {
  if (::inotify_add_watch(fd_.get(), directory_.c_str(), kMask) < 0) {
    if (!std::exchange(missing_logged_, true)) {
      log::warn("directory cannot be watched, trying again every second",
                {{"directory", directory_},
                 {"err", Error::from_errno(errno, "inotify_add_watch").message}});
    }
    again_.arm(kRetry, [this] { arm(); });
    return;
  }
  missing_logged_ = false;
  on_change_({});
}

void DirectoryWatch::read_events() {
  std::set<std::string> names;
  bool lost = false;
  bool removed = false;
  alignas(inotify_event) std::array<char, kBufferBytes> buffer{};
  ssize_t size = 0;
  while ((size = ::read(fd_.get(), buffer.data(), buffer.size())) > 0) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      if (event.len > 0) {
        names.insert(buffer.data() + at + sizeof event);  // zero-terminated, inotify(7)
      }
      lost |= (event.mask & IN_Q_OVERFLOW) != 0;
      removed |= (event.mask & IN_IGNORED) != 0;  // the directory itself is gone
      at += sizeof event + event.len;
    }
  }
  if (removed) {
    again_.arm(kRetry, [this] { arm(); });
  }
  if (lost) {
    on_change_({});
  } else if (!names.empty()) {
    on_change_(names);
  }
}

}  // namespace rocelane::plugin
