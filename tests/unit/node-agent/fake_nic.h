// SPDX-License-Identifier: Apache-2.0
// FakeNic: a PF in a fake sysfs that reacts to sysfs writes and netlink calls as igb does, and
// keeps a log of what it was told in which order. It reacts when the keeper looks again, which is
// enough, because a keeper does at most one slow thing per look.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "node-agent/kernel.h"
#include "tests/support/fake_sysfs.h"

namespace rocelane::agent::test {

class FakeNic {
 public:
  static constexpr const char* kPf = "0000:01:00.0";
  static constexpr const char* kName = "ens1f0";

  FakeNic() {
    tree.add_function({.address = kPf, .netdev = kName, .total_vfs = 7});
    pf.index = {2};
    pf.name = kName;
    pf.mac = *MacAddress::parse("52:54:00:12:34:56");
    pf.permanent_mac = pf.mac;
    pf.mtu = 1500;
    pf.carrier = true;
    tree.write(pf_path("sriov_drivers_autoprobe"), "1");
  }

  static std::string vf_address(std::size_t index) { return fmt::format("0000:01:10.{}", index); }
  static std::string vf_name(std::size_t index) { return fmt::format("ens1f0v{}", index); }
  static IfIndex index_of(std::size_t index) { return {100 + static_cast<int>(index)}; }
  static std::string pf_path(const std::string& file) {
    return std::string("bus/pci/devices/") + kPf + "/" + file;
  }

  Kernel kernel() {
    return {
        .links = [this]() -> Result<std::vector<netlink::Link>> { return look(); },
        .set_link = [this](IfIndex index,
                           const netlink::LinkChange& change) { return set_link(index, change); },
        .set_vf = [this](IfIndex, const netlink::VfChange& change) -> Result<void> {
          catch_up();
          log.push_back(fmt::format("mac {} autoprobe={} {}", change.vf, autoprobe(),
                                    bound(change.vf) ? "bound" : "unbound"));
          pf.vfs.at(change.vf).mac = change.mac;
          return {};
        }};
  }

  // As if `count` VFs were there with these MACs, bound, since before the agent started.
  void has_vfs(std::vector<MacAddress> macs) {
    pf.flags = up_flag;
    create(macs.size());
    for (std::size_t i = 0; i < macs.size(); ++i) {
      pf.vfs[i].mac = macs[i];
      bind(i);
    }
    log.clear();
  }

  // A pod takes the netdev away, or brings it back.
  void take(std::size_t index) {
    tree.remove_netdev(vf_address(index), vf_name(index));
    std::erase_if(netdevs, [&](const auto& link) { return link.index == index_of(index); });
  }

  netlink::Link& netdev(std::size_t index) {
    return *std::find_if(netdevs.begin(), netdevs.end(),
                         [&](const auto& link) { return link.name == vf_name(index); });
  }
  [[nodiscard]] bool bound(std::size_t index) const {
    return std::filesystem::exists(tree.root() + "/bus/pci/devices/" + vf_address(index) +
                                   "/driver");
  }
  [[nodiscard]] std::string autoprobe() const {
    return trimmed(pf_path("sriov_drivers_autoprobe"));
  }

  rocelane::test::FakeSysfs tree;
  netlink::Link pf;
  std::vector<netlink::Link> netdevs;  // of the VFs
  std::vector<std::string> log;
  bool driver_exists = true;
  bool names_parents = true;  // as kernels since 5.14
  std::uint32_t up_flag = 1;  // IFF_UP

 private:
  [[nodiscard]] std::string trimmed(const std::string& path) const {
    auto text = tree.read(path);
    while (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return text;
  }

  std::vector<netlink::Link> look() {
    catch_up();
    std::vector<netlink::Link> links{pf};
    links.insert(links.end(), netdevs.begin(), netdevs.end());
    return links;
  }

  Result<void> set_link(IfIndex index, const netlink::LinkChange& change) {
    auto* link = index == pf.index ? &pf : nullptr;
    for (auto& netdev : netdevs) {
      link = netdev.index == index ? &netdev : link;
    }
    ROCELANE_CHECK(link != nullptr);
    if (change.up == true) {
      log.push_back(link->name + " up");
      link->flags = up_flag;
    }
    if (change.mtu) {
      log.push_back(fmt::format("{} mtu {}", link->name, *change.mtu));
      link->mtu = *change.mtu;
    }
    return {};
  }

  void catch_up() {
    const auto count = static_cast<std::size_t>(std::stoi(trimmed(pf_path("sriov_numvfs"))));
    if (count != pf.vfs.size()) {
      log.push_back(fmt::format("numvfs {} autoprobe={} {}", count, autoprobe(),
                                pf.flags == up_flag ? "pf-up" : "pf-down"));
      remove_all();
      create(count);
    }
    for (std::size_t i = 0; i < pf.vfs.size(); ++i) {
      if (trimmed("bus/pci/drivers/igbvf/unbind") == vf_address(i) && bound(i)) {
        log.push_back(fmt::format("unbind {}", i));
        take(i);
        tree.unbind(vf_address(i), "igbvf");
        tree.write("bus/pci/drivers/igbvf/unbind", "");
      }
      if (trimmed("bus/pci/drivers_probe") == vf_address(i)) {
        log.push_back(fmt::format("probe {} autoprobe={}", i, autoprobe()));
        tree.write("bus/pci/drivers_probe", "");
        if (driver_exists && autoprobe() == "1") {
          bind(i);
        }
      }
    }
  }

  void remove_all() {
    for (std::size_t i = 0; i < pf.vfs.size(); ++i) {
      if (bound(i)) {
        take(i);
        tree.unbind(vf_address(i), "igbvf");
      }
      tree.remove("bus/pci/devices/" + vf_address(i));
      tree.remove(rocelane::test::FakeSysfs::directory_of(vf_address(i)));
      tree.remove(rocelane::test::FakeSysfs::directory_of(kPf) + "/virtfn" + std::to_string(i));
    }
    pf.vfs.clear();
  }

  void create(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      tree.add_vf(kPf, static_cast<int>(i), {.address = vf_address(i), .driver = ""});
      pf.vfs.push_back({.vf = static_cast<std::uint32_t>(i), .mac = MacAddress{}});
    }
    tree.write(pf_path("sriov_numvfs"), std::to_string(count));
  }

  // The driver takes over the MAC that the PF has for this VF at that moment.
  void bind(std::size_t index) {
    const auto mac = pf.vfs[index].mac.value_or(MacAddress{});
    const int number = index_of(index).value;
    tree.bind(vf_address(index), "igbvf");
    tree.add_netdev(vf_address(index), vf_name(index), mac.to_string(), number);
    netlink::Link link;
    link.index = {number};
    link.name = vf_name(index);
    link.mac = mac;
    link.mtu = 1500;
    link.parent_bus = names_parents ? "pci" : "";
    link.parent_device = names_parents ? vf_address(index) : "";
    netdevs.push_back(link);
  }
};

}  // namespace rocelane::agent::test
