// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/kernel_watch.h"

#include <linux/rtnetlink.h>

#include "lib/base/log.h"

namespace rocelane::plugin {

namespace {

// The kernel's own messages; group 2 is udev's (lib/kobject_uevent.c, libudev).
constexpr std::uint32_t kKernelUevents = 1;

}  // namespace

KernelWatch::KernelWatch(EventLoop& loop, Task on_change) : on_change_(std::move(on_change)) {
  follow(loop, uevents_, uevents_watch_, netlink::Family::kKobjectUevent, kKernelUevents);
  follow(loop, links_, links_watch_, netlink::Family::kRoute, RTNLGRP_LINK);
}

void KernelWatch::follow(EventLoop& loop, std::optional<netlink::Socket>& socket,
                         std::unique_ptr<FdWatch>& watch, netlink::Family family,
                         std::uint32_t group) {
  auto opened = netlink::Socket::open(family);
  auto joined = opened.ok() ? opened->join(group) : Result<void>(opened.error());
  if (!joined.ok()) {
    log::warn("device changes are found by the slow rescan only",
              {{"err", joined.error().message}});
    return;
  }
  socket.emplace(std::move(*opened));
  watch = std::make_unique<FdWatch>(loop, socket->fd(), [this, &socket] { drain(*socket); });
}

// Lost messages (kBusy) are a change like any other.
void KernelWatch::drain(netlink::Socket& socket) {
  while (true) {
    const auto events = socket.receive();
    if (events.ok() && events->empty()) {
      return;
    }
    on_change_();
    if (!events.ok() && events.error().code != Code::kBusy) {
      log::warn("device changes cannot be read", {{"err", events.error().message}});
      return;
    }
  }
}

}  // namespace rocelane::plugin
