// SPDX-License-Identifier: Apache-2.0
#include "node-agent/port_view.h"

#include <algorithm>

namespace rocelane::agent {

namespace {

using netlink::Link;

const Link* find_by_name(const std::vector<Link>& links, std::string_view name) {
  const auto found = std::find_if(links.begin(), links.end(), [&](const Link& link) {
    return link.name == name ||
           std::find(link.alt_names.begin(), link.alt_names.end(), name) != link.alt_names.end();
  });
  return found == links.end() ? nullptr : &*found;
}

// By what the kernel says of the link itself (5.14): a name may change between the two looks,
// because udev renames new links.
const Link* find_netdev(const std::vector<Link>& links, const rdma::Function& function) {
  const auto address = function.address.to_string();
  const auto found = std::find_if(links.begin(), links.end(), [&](const Link& link) {
    return link.parent_bus == "pci" && link.parent_device == address;
  });
  if (found != links.end()) {
    return &*found;
  }
  for (const auto& name : function.netdevs) {
    if (const auto* link = find_by_name(links, name)) {
      return link;
    }
  }
  return nullptr;
}

std::optional<MacAddress> admin_mac_of(const Link& pf, std::uint32_t vf) {
  const auto found = std::find_if(pf.vfs.begin(), pf.vfs.end(),
                                  [&](const netlink::VfInfo& info) { return info.vf == vf; });
  return found == pf.vfs.end() ? std::nullopt : found->mac;
}

using Holders = std::map<std::string, std::string>;  // device -> "namespace/pod"

Holders holders_of(const std::vector<state::Record>& records, const PortHost& host) {
  Holders holders;
  for (const auto& record : records) {
    if (holds(record, host)) {
      holders[record.device_id] = record.pod.ns + "/" + record.pod.name;
    }
  }
  return holders;
}

Result<void> look_at_vfs(const sysfs::Sysfs& sysfs, const Holders& holders, PortView& view) {
  ROCELANE_ASSIGN_OR_RETURN(const auto addresses, rdma::list_vfs(sysfs, view.function.address));
  for (const auto& address : addresses) {
    ROCELANE_ASSIGN_OR_RETURN(auto function, rdma::read_function(sysfs, address));
    VfView vf;
    vf.index = function.vf_index.value_or(0);
    if (const auto* netdev = find_netdev(view.links, function)) {
      vf.netdev = *netdev;
    }
    vf.admin_mac = admin_mac_of(view.pf, vf.index);
    const auto held = holders.find(address.to_string());
    vf.holder = held == holders.end() ? "" : held->second;
    vf.function = std::move(function);
    view.vfs.push_back(std::move(vf));
  }
  return {};
}

}  // namespace

bool holds(const state::Record& record, const PortHost& host) {
  return record.boot_id.empty() || record.boot_id == host.boot_id;
}

Result<std::optional<PortView>> look_at_port(const PortHost& host, std::string_view pf) {
  PortView view;
  ROCELANE_ASSIGN_OR_RETURN(view.links, host.kernel.links());
  const auto* link = find_by_name(view.links, pf);
  if (link == nullptr) {
    return std::optional<PortView>();
  }
  view.pf = *link;
  ROCELANE_ASSIGN_OR_RETURN(const auto address, rdma::function_of_netdev(host.sysfs, link->name));
  if (!address) {
    return Error::make(Code::kInvalidInput, link->name + " is not a PCI network function");
  }
  ROCELANE_ASSIGN_OR_RETURN(view.function, rdma::read_function(host.sysfs, *address));
  ROCELANE_ASSIGN_OR_RETURN(const auto listing, host.store.list());
  view.damaged_records = listing.damaged.size();
  ROCELANE_RETURN_IF_ERROR(look_at_vfs(host.sysfs, holders_of(listing.records, host), view));
  return std::optional(std::move(view));
}

}  // namespace rocelane::agent
