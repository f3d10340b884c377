// SPDX-License-Identifier: Apache-2.0
// The RDMA device of an attachment: made (soft RoCE), moved (exclusive netns mode) or only looked
// up (shared mode), its char device, its GID; and the way back.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lib/attachment/plan.h"
#include "lib/attachment/vf.h"
#include "lib/base/result.h"
#include "lib/netns/netns.h"
#include "lib/rdma/gid.h"
#include "lib/state/record.h"

namespace rocelane::attachment {

// What the record must say before the first change: the device's name is known from the start.
// kUnsupported: this kernel has no RDMA; kNotFound: the function has no RDMA device.
Result<state::RdmaRef> plan_rdma_device(const Plan& plan, const Inspected& device);

// The netdev `if_name` is in `pod` already. Fills in the char device.
Result<void> bring_rdma_device(const netns::NetNs& pod, const std::string& if_name,
                               state::RdmaRef& rdma);

// Back to the netns of the calling thread, or removed if we made it. Already gone: success. `pod`
// is absent when the namespace no longer exists.
Result<void> take_rdma_device_home(const std::optional<netns::NetNs>& pod,
                                   const state::RdmaRef& rdma);

// Waits until the port has the RoCE v2 GID of exactly this address on exactly this netdev.
Result<rdma::Gid> wait_for_gid(const netns::NetNs& pod, const std::string& device,
                               const IpAddress& address, const std::string& if_name,
                               std::chrono::milliseconds limit);

}  // namespace rocelane::attachment
