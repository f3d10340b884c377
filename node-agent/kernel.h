// SPDX-License-Identifier: Apache-2.0
// What a port keeper asks of the kernel beside sysfs, as functions, so that a test can answer.
#pragma once

#include <functional>
#include <vector>

#include "lib/base/if_index.h"
#include "lib/base/result.h"
#include "lib/netlink/link.h"
#include "lib/netlink/socket.h"

namespace rocelane::agent {

struct Kernel {
  std::function<Result<std::vector<netlink::Link>>()> links;  // with what PFs say of their VFs
  std::function<Result<void>(IfIndex, const netlink::LinkChange&)> set_link;
  std::function<Result<void>(IfIndex, const netlink::VfChange&)> set_vf;
};

// Over this socket, which must outlive the answer.
Kernel kernel_over(netlink::Socket& socket);

}  // namespace rocelane::agent
