// SPDX-License-Identifier: Apache-2.0
// Reads Documentation/ABI/testing/sysfs-bus-pci below a given root; every function may vanish
// between two reads.
#include "lib/rdma/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace rocelane::rdma {

namespace {

constexpr std::string_view kVfLinkPrefix = "virtfn";

std::string path_of(const PciAddress& address) { return "bus/pci/devices/" + address.to_string(); }

Error gone(const PciAddress& address) {
  return Error::make(Code::kNotFound, fmt::format("no PCI function {}", address.to_string()));
}

// "0x8086" -> "8086": sysfs prints a prefix that users and pci.ids leave out.
std::string without_hex_prefix(std::string_view text) {
  return std::string(text.starts_with("0x") ? text.substr(2) : text);
}

std::optional<std::uint32_t> vf_number(std::string_view name) {
  if (!name.starts_with(kVfLinkPrefix)) {
    return std::nullopt;
  }
  name.remove_prefix(kVfLinkPrefix.size());
  std::uint32_t number = 0;
  const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (problem != std::errc() || end != name.data() + name.size()) {
    return std::nullopt;
  }
  return number;
}

using NumberedVf = std::pair<std::uint32_t, PciAddress>;

Result<std::vector<NumberedVf>> read_vf_links(const sysfs::Sysfs& sysfs, const PciAddress& pf) {
  const auto path = path_of(pf);
  ROCELANE_ASSIGN_OR_RETURN(const auto names, sysfs.list(path));
  std::vector<NumberedVf> vfs;
  for (const auto& name : names) {
    const auto number = vf_number(name);
    if (!number) {
      continue;
    }
    ROCELANE_ASSIGN_OR_RETURN(const auto target, sysfs.link_name(fmt::format("{}/{}", path, name)));
    if (target) {
      ROCELANE_ASSIGN_OR_RETURN(const auto address, PciAddress::parse(*target));
      vfs.emplace_back(*number, address);
    }
  }
  std::sort(vfs.begin(), vfs.end());
  return vfs;
}

// Absent file: 0, which is what a function without SR-IOV has.
Result<std::uint32_t> read_count(const sysfs::Sysfs& sysfs, const std::string& path) {
  auto number = sysfs.read_number(path);
  if (!number.ok()) {
    return number.error().code == Code::kNotFound ? Result<std::uint32_t>(0) : number.error();
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(*number, 0));
}

Result<std::optional<std::int32_t>> read_numa_node(const sysfs::Sysfs& sysfs,
                                                   const std::string& path) {
  auto number = sysfs.read_number(path);
  if (!number.ok()) {
    return number.error().code == Code::kNotFound
               ? Result<std::optional<std::int32_t>>(std::nullopt)
               : number.error();
  }
  if (*number < 0) {
    return std::optional<std::int32_t>();
  }
  return std::optional(static_cast<std::int32_t>(*number));
}

Result<void> read_sriov(const sysfs::Sysfs& sysfs, const std::string& path, Function& function) {
  ROCELANE_ASSIGN_OR_RETURN(function.total_vfs, read_count(sysfs, path + "/sriov_totalvfs"));
  ROCELANE_ASSIGN_OR_RETURN(function.num_vfs, read_count(sysfs, path + "/sriov_numvfs"));
  ROCELANE_ASSIGN_OR_RETURN(const auto pf, sysfs.link_name(path + "/physfn"));
  if (!pf) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(function.pf, PciAddress::parse(*pf));
  ROCELANE_ASSIGN_OR_RETURN(const auto siblings, read_vf_links(sysfs, *function.pf));
  for (const auto& [number, address] : siblings) {
    if (address == function.address) {
      function.vf_index = number;
    }
  }
  return {};
}

}  // namespace

Result<Function> read_function(const sysfs::Sysfs& sysfs, const PciAddress& address) {
  const auto path = path_of(address);
  if (!sysfs.exists(path)) {
    return gone(address);
  }
  Function function;
  function.address = address;
  ROCELANE_ASSIGN_OR_RETURN(const auto driver, sysfs.link_name(path + "/driver"));
  function.driver = driver.value_or("");
  ROCELANE_ASSIGN_OR_RETURN(const auto vendor, sysfs.find(path + "/vendor"));
  ROCELANE_ASSIGN_OR_RETURN(const auto device, sysfs.find(path + "/device"));
  function.vendor = without_hex_prefix(vendor.value_or(""));
  function.device = without_hex_prefix(device.value_or(""));
  ROCELANE_ASSIGN_OR_RETURN(function.netdevs, sysfs.list(path + "/net"));
  ROCELANE_ASSIGN_OR_RETURN(function.rdma_devices, sysfs.list(path + "/infiniband"));
  ROCELANE_ASSIGN_OR_RETURN(function.numa_node, read_numa_node(sysfs, path + "/numa_node"));
  ROCELANE_RETURN_IF_ERROR(read_sriov(sysfs, path, function));
  // Half a function is worse than none: one unplugged between the reads is not there.
  if (!sysfs.exists(path)) {
    return gone(address);
  }
  return function;
}

Result<std::optional<PciAddress>> function_of_netdev(const sysfs::Sysfs& sysfs,
                                                     std::string_view netdev) {
  const auto path = fmt::format("class/net/{}", netdev);
  if (!sysfs.exists(path)) {
    return Error::make(Code::kNotFound, fmt::format("no network device {}", netdev));
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto parent, sysfs.link_name(path + "/device"));
  if (!parent) {
    return std::optional<PciAddress>();
  }
  // The parent of a virtio or auxiliary-bus netdev has a name of another form.
  const auto address = PciAddress::parse(*parent);
  if (!address.ok()) {
    return std::optional<PciAddress>();
  }
  return std::optional(*address);
}

Result<std::vector<PciAddress>> list_vfs(const sysfs::Sysfs& sysfs, const PciAddress& pf) {
  if (!sysfs.exists(path_of(pf))) {
    return gone(pf);
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto links, read_vf_links(sysfs, pf));
  std::vector<PciAddress> vfs;
  vfs.reserve(links.size());
  for (const auto& [number, address] : links) {
    vfs.push_back(address);
  }
  return vfs;
}

}  // namespace rocelane::rdma
