// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/device_list.h"

#include <algorithm>

namespace rocelane::plugin {

namespace {

bool selects(const config::Pool& pool, const config::Candidate& candidate) {
  if (!candidate.driver.empty()) {
    return pool.selects(candidate);
  }
  auto driverless = pool;
  for (auto& selector : driverless.selectors) {
    selector.drivers.clear();
  }
  return driverless.selects(candidate);
}

bool selects(const config::Pool& pool, const VirtualFunction& vf, bool held) {
  const auto& function = vf.function;
  config::Candidate candidate{.pf_name = {},
                              .pf_address = function.pf ? function.pf->to_string() : std::string(),
                              .vf_index = function.vf_index,
                              .driver = function.driver,
                              .vendor = function.vendor,
                              .device = function.device,
                              .pci_address = function.address.to_string(),
                              .acpi_index = vf.acpi_index,
                              .is_rdma = held || vf.pf_has_rdma || !function.rdma_devices.empty() ||
                                         pool.type == config::PoolType::kSoftRoce};
  if (vf.pf_names.empty()) {
    return selects(pool, candidate);
  }
  return std::any_of(vf.pf_names.begin(), vf.pf_names.end(), [&](const auto& name) {
    candidate.pf_name = name;
    return selects(pool, candidate);
  });
}

std::string problem_of(config::PoolType type, const rdma::Function& function, bool held) {
  if (function.driver.empty()) {
    return "no driver is bound";
  }
  if (held) {
    return {};
  }
  if (type == config::PoolType::kSriov && function.rdma_devices.empty()) {
    return "driver " + function.driver + " has made no RDMA device for this VF";
  }
  if (type == config::PoolType::kSoftRoce && function.netdevs.empty()) {
    return "its netdev is not on the host and no attachment record holds it";
  }
  return {};
}

}  // namespace

std::set<std::string> held_devices(const std::vector<state::Record>& records,
                                   const std::string& boot_id) {
  std::set<std::string> held;
  for (const auto& record : records) {
    if (record.boot_id == boot_id) {
      held.insert(record.device_id);
    }
  }
  return held;
}

Lists list_devices(const std::vector<config::Pool>& pools, const std::vector<VirtualFunction>& vfs,
                   const std::set<std::string>& held) {
  Lists lists;
  std::set<std::string> listed;
  for (const auto& pool : pools) {
    auto& list = lists[pool.resource()];
    if (pool.type == config::PoolType::kShared) {
      continue;  // slots on a host RDMA device, not VFs
    }
    for (const auto& vf : vfs) {
      const auto id = vf.function.address.to_string();
      const bool in_use = held.count(id) != 0;
      if (listed.count(id) == 0 && selects(pool, vf, in_use)) {
        listed.insert(id);
        list.push_back({.id = id,
                        .reason = problem_of(pool.type, vf.function, in_use),
                        .numa_node = pool.exclude_topology ? std::nullopt : vf.function.numa_node});
      }
    }
  }
  return lists;
}

}  // namespace rocelane::plugin
