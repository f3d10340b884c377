// SPDX-License-Identifier: Apache-2.0
// One look at a PF and its VFs: sysfs, netlink and attachment records put together. Values of one
// moment; a keeper takes a new one for each step.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/netlink/link.h"
#include "lib/rdma/function.h"
#include "lib/state/store.h"
#include "lib/sysfs/sysfs.h"
#include "node-agent/kernel.h"

namespace rocelane::agent {

struct VfView {
  std::uint32_t index = 0;
  rdma::Function function;
  std::optional<netlink::Link> netdev;  // on the host
  std::optional<MacAddress> admin_mac;  // absent: the driver does not say
  std::string holder;                   // "namespace/pod" of the record that holds it; empty: none

  // A bound driver without a netdev here: the netdev is in some pod's netns (or a virtual machine
  // has the function), recorded by us or not.
  [[nodiscard]] bool elsewhere() const { return !function.driver.empty() && !netdev; }
  // May be rebound: no record, here, and not a part of a bond or bridge.
  [[nodiscard]] bool idle() const {
    return holder.empty() && !elsewhere() && (!netdev || !netdev->master);
  }
  [[nodiscard]] std::string device_id() const { return function.address.to_string(); }
};

struct PortView {
  std::vector<netlink::Link> links;  // of the host
  netlink::Link pf;
  rdma::Function function;
  std::vector<VfView> vfs;          // in index order
  std::size_t damaged_records = 0;  // of which nobody knows the device
};

// nullopt: no such netdev. kInvalidInput: it is not a PCI function.
Result<std::optional<PortView>> look_at_port(const sysfs::Sysfs& sysfs, const Kernel& kernel,
                                             const state::Store& store, std::string_view pf);

}  // namespace rocelane::agent
