// SPDX-License-Identifier: Apache-2.0
// DirectoryWatch: tells when entries of a directory appear, vanish or are replaced (inotify(7)).
// A directory that does not exist (yet, or any more) is looked for again every second.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "device-plugin/event_loop.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::plugin {

class DirectoryWatch {
 public:
  // `on_change` gets the names; none means: the watch began or lost events, look at everything.
  using OnChange = std::function<void(const std::set<std::string>& names)>;

  static Result<std::unique_ptr<DirectoryWatch>> start(EventLoop& loop, std::string directory,
                                                       OnChange on_change);
  DirectoryWatch(const DirectoryWatch&) = delete;
  DirectoryWatch& operator=(const DirectoryWatch&) = delete;
  DirectoryWatch(DirectoryWatch&&) = delete;
  DirectoryWatch& operator=(DirectoryWatch&&) = delete;
  ~DirectoryWatch() = default;

 private:
  DirectoryWatch(EventLoop& loop, UniqueFd fd, std::string directory, OnChange on_change);
  void arm();
  void read_events();

  std::string directory_;
  OnChange on_change_;
  UniqueFd fd_;
  FdWatch readable_;
  Timer again_;
  bool missing_logged_ = false;
};

}  // namespace rocelane::plugin
