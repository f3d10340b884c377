// SPDX-License-Identifier: Apache-2.0
// The IP side of an attachment inside the pod's netns: sysctls, addresses, link up, routes.
#pragma once

#include <chrono>
#include <string>

#include "lib/base/result.h"
#include "lib/cni/protocol.h"
#include "lib/netlink/link.h"
#include "lib/netns/netns.h"

namespace rocelane::attachment {

// Sets the interface's sysctls, addresses (IPv6 without DAD: the IPAM gave them to this pod alone),
// brings it up and adds the routes. Everything vanishes with the interface, so nothing is to be
// undone.
Result<void> configure(const netns::NetNs& pod, const netlink::Link& link,
                       const cni::AddResult& addresses, const std::string& proc_root);

// Waits for carrier. False when there is none in time: the port is down, which is the probes'
// verdict to give, not a reason to refuse the pod.
Result<bool> wait_for_carrier(const netns::NetNs& pod, IfIndex index,
                              std::chrono::milliseconds limit);

}  // namespace rocelane::attachment
