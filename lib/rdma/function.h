// SPDX-License-Identifier: Apache-2.0
// A PCI network function as sysfs shows it: PF or VF, its netdevs and RDMA devices, NUMA node.
// Values read at one moment; nothing here follows changes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/pci_address.h"
#include "lib/base/result.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::rdma {

struct Function {
  PciAddress address = {};
  std::string driver = {};                // empty: none bound
  std::string vendor = {};                // "8086", lower-case hex as users write it
  std::string device = {};                // "10ca"
  std::vector<std::string> netdevs = {};  // of the netns this sysfs shows; empty when inside a pod
  std::vector<std::string> rdma_devices = {};  // below infiniband/; empty for soft RoCE
  std::optional<std::int32_t> numa_node = {};  // absent when the platform says -1
  std::optional<PciAddress> pf = {};           // set on a VF
  std::optional<std::uint32_t> vf_index = {};  // its number on that PF (virtfnN)
  std::uint32_t total_vfs = 0;                 // of a PF: sriov_totalvfs
  std::uint32_t num_vfs = 0;                   // of a PF: sriov_numvfs

  bool operator==(const Function&) const = default;
};

// kNotFound when the function does not exist (unplugged, VFs removed).
Result<Function> read_function(const sysfs::Sysfs& sysfs, const PciAddress& address);
// The function behind a netdev of this sysfs; nullopt for devices that are not PCI (veth, macvlan).
Result<std::optional<PciAddress>> function_of_netdev(const sysfs::Sysfs& sysfs,
                                                     std::string_view netdev);
// VFs of a PF in index order.
Result<std::vector<PciAddress>> list_vfs(const sysfs::Sysfs& sysfs, const PciAddress& pf);

}  // namespace rocelane::rdma
