// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/inventory.h"

#include <algorithm>

namespace rocelane::plugin {

namespace {

constexpr const char* kPciDevices = "bus/pci/devices";

// Host bridges and VMD domains may have names that are no addresses.
Result<std::vector<PciAddress>> list_pfs(const sysfs::Sysfs& sysfs) {
  ROCELANE_ASSIGN_OR_RETURN(const auto names, sysfs.list(kPciDevices));
  std::vector<PciAddress> pfs;
  for (const auto& name : names) {
    const auto address = PciAddress::parse(name);
    if (address.ok() && sysfs.exists(std::string(kPciDevices) + "/" + name + "/sriov_totalvfs")) {
      pfs.push_back(*address);
    }
  }
  std::sort(pfs.begin(), pfs.end());
  return pfs;
}

Result<void> append_vfs(const sysfs::Sysfs& sysfs, const PciAddress& pf_address,
                        std::vector<VirtualFunction>& found) {
  ROCELANE_ASSIGN_OR_RETURN(const auto pf, rdma::read_function(sysfs, pf_address));
  ROCELANE_ASSIGN_OR_RETURN(const auto addresses, rdma::list_vfs(sysfs, pf_address));
  for (const auto& address : addresses) {
    auto function = rdma::read_function(sysfs, address);
    if (!function.ok() && function.error().code == Code::kNotFound) {
      continue;
    }
    if (!function.ok()) {
      return function.error();
    }
    ROCELANE_ASSIGN_OR_RETURN(
        const auto acpi_index,
        sysfs.find(std::string(kPciDevices) + "/" + address.to_string() + "/acpi_index"));
    found.push_back({.function = std::move(*function),
                     .acpi_index = acpi_index.value_or(""),
                     .pf_names = pf.netdevs,
                     .pf_has_rdma = !pf.rdma_devices.empty()});
  }
  return {};
}

}  // namespace

Result<std::vector<VirtualFunction>> scan_vfs(const sysfs::Sysfs& sysfs) {
  ROCELANE_ASSIGN_OR_RETURN(const auto pfs, list_pfs(sysfs));
  std::vector<VirtualFunction> found;
  for (const auto& pf : pfs) {
    const auto appended = append_vfs(sysfs, pf, found);
    if (!appended.ok() && appended.error().code != Code::kNotFound) {
      return appended.error().with_context("looking at " + pf.to_string());
    }
  }
  return found;
}

}  // namespace rocelane::plugin
