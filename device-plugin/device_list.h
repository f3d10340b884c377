// SPDX-License-Identifier: Apache-2.0
// Which VFs a pool lists, and whether kubelet may hand them out. Pure: VFs, records and pools in,
// lists out.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "device-plugin/inventory.h"
#include "lib/config/config.h"
#include "lib/state/record.h"

namespace rocelane::plugin {

struct ListedDevice {
  std::string id;
  std::string reason;  // why it is not healthy; empty: it is
  std::optional<std::int32_t> numa_node;

  [[nodiscard]] bool healthy() const { return reason.empty(); }
  bool operator==(const ListedDevice&) const = default;
};

using Lists = std::map<std::string, std::vector<ListedDevice>>;  // by resource

// Device IDs that an attachment of this boot holds: their netdev and RDMA device may be in a pod.
std::set<std::string> held_devices(const std::vector<state::Record>& records,
                                   const std::string& boot_id);

// One list per pool, empty when nothing matches. A VF is listed once, by the first pool that
// selects it: two resources must not hand out one device.
//
// A selector must not make a VF vanish that is only broken or in use; so a VF without a driver
// passes `drivers`, and `isRdma` looks at the PF and the records too. softRoce passes `isRdma`: it
// makes the RDMA device itself.
Lists list_devices(const std::vector<config::Pool>& pools, const std::vector<VirtualFunction>& vfs,
                   const std::set<std::string>& held);

}  // namespace rocelane::plugin
