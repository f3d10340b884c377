// SPDX-License-Identifier: Apache-2.0
// KernelWatch: tells when the kernel's devices may have changed: uevents (drivers, RDMA devices)
// and rtnetlink link messages (netdevs that come from or go to a pod). What changed is for a rescan
// to find out.
#pragma once

#include <memory>
#include <optional>

#include "device-plugin/event_loop.h"
#include "lib/netlink/socket.h"

namespace rocelane::plugin {

class KernelWatch {
 public:
  // A socket that cannot be opened is logged: the slow rescan is left then.
  KernelWatch(EventLoop& loop, Task on_change);

 private:
  void follow(EventLoop& loop, std::optional<netlink::Socket>& socket,
              std::unique_ptr<FdWatch>& watch, netlink::Family family, std::uint32_t group);
  void drain(netlink::Socket& socket);

  Task on_change_;
  std::optional<netlink::Socket> uevents_;
  std::optional<netlink::Socket> links_;
  std::unique_ptr<FdWatch> uevents_watch_;
  std::unique_ptr<FdWatch> links_watch_;
};

}  // namespace rocelane::plugin
