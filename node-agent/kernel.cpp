// SPDX-License-Identifier: Apache-2.0
#include "node-agent/kernel.h"

namespace rocelane::agent {

Kernel kernel_over(netlink::Socket& socket) {
  return {
      .links = [&socket] { return netlink::dump_links(socket, true); },
      .set_link =
          [&socket](IfIndex index, const netlink::LinkChange& change) {
            return netlink::set_link(socket, index, change);
          },
      .set_vf =
          [&socket](IfIndex pf, const netlink::VfChange& change) {
            return netlink::set_vf(socket, pf, change);
          },
  };
}

}  // namespace rocelane::agent
