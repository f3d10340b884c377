// SPDX-License-Identifier: Apache-2.0
// Changes to VFs that no pod may see half done: each under the VF's device lock, with a last look
// whether an attachment came in between (then kBusy, as for a lock that is held).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "lib/base/mac_address.h"
#include "lib/base/result.h"
#include "node-agent/port_view.h"

namespace rocelane::agent {

struct ChangeContext {
  const PortHost& host;
  std::chrono::milliseconds lock_limit;
};

// All VFs go, then `count` new ones come, unbound (autoprobe stays off).
Result<void> set_vf_count(const ChangeContext& context, const PortView& view, std::uint32_t count);

// The MAC a VF should have when it is not the one it has. `ours`: this configuration made the VFs;
// else only a VF without any administrative MAC gets one.
std::optional<MacAddress> wanted_mac(const PortView& view, const VfView& vf, bool ours);

// Also takes the driver off, which would keep the old MAC.
Result<void> set_admin_mac(const ChangeContext& context, const PortView& view, const VfView& vf,
                           const MacAddress& mac);

Result<void> unbind(const ChangeContext& context, const VfView& vf);

}  // namespace rocelane::agent
