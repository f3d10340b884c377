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
  std::string holder;  // "namespace/pod" whose record of this boot holds it; empty: none

  [[nodiscard]] bool bound() const { return !function.driver.empty(); }
  // A bound driver without a netdev here: the netdev is in some pod's netns (or a virtual machine
  // has the function), recorded by us or not. Also true until a driver just bound has made one.
  [[nodiscard]] bool elsewhere() const { return bound() && !netdev && function.netdevs.empty(); }
  // May be rebound: nobody can use one without a driver (whatever an old record says of it, when
  // the PF went away and came back); else no record, here, and not a part of a bond or bridge.
  [[nodiscard]] bool idle() const {
    return !bound() || (holder.empty() && netdev && !netdev->master);
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

// Where a keeper looks and acts.
struct PortHost {
  const sysfs::Sysfs& sysfs;
  const Kernel& kernel;
  const state::Store& store;
  std::string boot_id;  // records of another boot hold nothing: their netns are gone
};

bool holds(const state::Record& record, const PortHost& host);

// nullopt: no such netdev. kInvalidInput: it is not a PCI function. kNotFound: something of it
// vanished during the look.
Result<std::optional<PortView>> look_at_port(const PortHost& host, std::string_view pf);

}  // namespace rocelane::agent
