// SPDX-License-Identifier: Apache-2.0
// FakeSysfs: a temporary tree with the shape of /sys for PCI functions, netdevs and RDMA devices,
// relative symbolic links included. Values are what igb and rxe show on a real kernel.
//
//   FakeSysfs tree;
//   tree.add_function({.address = "0000:01:00.0", .netdev = "ens1f0", .total_vfs = 7});
//   tree.add_vf("0000:01:00.0", 0, {.address = "0000:01:10.0", .driver = "igbvf"});
//   tree.add_gid("rxe0", 1, 3, {"0000:…:ffff:0a38:0005", "RoCE v2", "ens1f0v0"});
//   auto sysfs = tree.open();
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/sysfs/sysfs.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {

struct FakeFunction {
  std::string address;  // "0000:01:00.0"
  std::string vendor = "0x8086";
  std::string device = "0x10c9";
  std::string driver = "igb";             // empty: not bound
  std::string netdev;                     // empty: none
  std::string mac = "52:54:00:12:34:56";  // of the netdev
  int ifindex = 2;
  int numa_node = -1;
  int total_vfs = 0;        // > 0: the function is a PF
  std::string rdma_device;  // "mlx5_0": a hardware RDMA device, port 1
};

struct FakeGid {
  std::string gid;  // "fe80:0000:0000:0000:5054:00ff:fe12:3456"
  std::string type = "RoCE v2";
  std::string netdev;
};

class FakeSysfs {
 public:
  static constexpr const char* kZeroGid = "0000:0000:0000:0000:0000:0000:0000:0000";

  FakeSysfs() {
    for (const char* directory : {"bus/pci/devices", "bus/pci/drivers", "class/net",
                                  "class/infiniband", "devices/virtual/net"}) {
      make_directory(directory);
    }
    write("bus/pci/drivers_probe", "");
  }

  [[nodiscard]] const std::string& root() const { return root_.path(); }
  [[nodiscard]] sysfs::Sysfs open() const {
    auto opened = sysfs::Sysfs::open(root());
    ROCELANE_CHECK(opened.ok());
    return std::move(*opened);
  }

  // Any file, with its parent directories; sysfs ends values with a newline.
  void write(const std::string& path, const std::string& value) const {
    make_directory(std::filesystem::path(path).parent_path().string());
    std::ofstream(root_ / path) << value << '\n';
  }
  [[nodiscard]] std::string read(const std::string& path) const {
    std::ifstream file(root_ / path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  // A relative link at `path` to `target`, both given from the root; as the kernel writes it, the
  // target's own name is always its last component (fs/kernfs/symlink.c).
  void link(const std::string& path, const std::string& target) const {
    const std::filesystem::path from = std::filesystem::path(path).parent_path();
    const std::filesystem::path to(target);
    make_directory(from.string());
    std::filesystem::remove(root_ / path);
    std::filesystem::create_symlink(to.parent_path().lexically_relative(from) / to.filename(),
                                    root_ / path);
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(root_ / path); }

  // Where a function's directory is: "devices/pci0000:00/0000:00:01.0/0000:01:00.0".
  static std::string directory_of(const std::string& address) {
    return "devices/pci0000:00/0000:00:01.0/" + address;
  }

  void add_function(const FakeFunction& function) const {
    const std::string directory = directory_of(function.address);
    write(directory + "/vendor", function.vendor);
    write(directory + "/device", function.device);
    write(directory + "/class", "0x020000");
    write(directory + "/numa_node", std::to_string(function.numa_node));
    write(directory + "/driver_override", "(null)");
    link(directory + "/subsystem", "bus/pci");
    link("bus/pci/devices/" + function.address, directory);
    if (function.total_vfs > 0) {
      write(directory + "/sriov_totalvfs", std::to_string(function.total_vfs));
      write(directory + "/sriov_numvfs", "0");
      write(directory + "/sriov_drivers_autoprobe", "1");
    }
    if (!function.driver.empty()) {
      bind(function.address, function.driver);
    }
    if (!function.netdev.empty()) {
      add_netdev(function.address, function.netdev, function.mac, function.ifindex);
    }
    if (!function.rdma_device.empty()) {
      add_rdma_device(function.rdma_device, directory, function.netdev);
    }
  }

  // A function that is VF `index` of `pf`, which then counts it in sriov_numvfs.
  void add_vf(const std::string& pf, int index, FakeFunction vf) const {
    if (vf.device == FakeFunction{}.device) {
      vf.device = "0x10ca";
    }
    add_function(vf);
    link(directory_of(vf.address) + "/physfn", directory_of(pf));
    link(directory_of(pf) + "/virtfn" + std::to_string(index), directory_of(vf.address));
    const std::string counter = directory_of(pf) + "/sriov_numvfs";
    const int before = std::filesystem::exists(root_ / counter) ? std::stoi(read(counter)) : 0;
    write(counter, std::to_string(std::max(before, index + 1)));
  }

  void bind(const std::string& address, const std::string& driver) const {
    const std::string directory = "bus/pci/drivers/" + driver;
    write(directory + "/bind", "");
    write(directory + "/unbind", "");
    link(directory + "/" + address, directory_of(address));
    link(directory_of(address) + "/driver", directory);
  }
  void unbind(const std::string& address, const std::string& driver) const {
    remove("bus/pci/drivers/" + driver + "/" + address);
    remove(directory_of(address) + "/driver");
  }

  // A netdev on a PCI function.
  void add_netdev(const std::string& address, const std::string& name, const std::string& mac,
                  int ifindex) const {
    const std::string directory = directory_of(address) + "/net/" + name;
    write_netdev(directory, name, mac, ifindex);
    link(directory + "/device", directory_of(address));
  }
  // One without a device behind it: veth, macvlan, vlan.
  void add_virtual_netdev(const std::string& name, const std::string& mac, int ifindex) const {
    write_netdev("devices/virtual/net/" + name, name, mac, ifindex);
  }
  // As when it moves to a pod's netns: this sysfs no longer shows it.
  void remove_netdev(const std::string& address, const std::string& name) const {
    remove("class/net/" + name);
    remove(directory_of(address) + "/net");
  }

  // A hardware RDMA device below a PCI function's directory, or a soft one (rxe) on `netdev` when
  // `parent` is empty. Port 1 is ACTIVE with an empty GID table of `gid_slots`.
  void add_rdma_device(const std::string& name, const std::string& parent,
                       const std::string& netdev, int gid_slots = 8) const {
    const std::string base = parent.empty() ? "devices/virtual" : parent;
    const std::string directory = base + "/infiniband/" + name;
    write(directory + "/node_guid", "5054:00ff:fe12:3456");
    write(directory + "/node_type", "1: CA");
    write(directory + "/ports/1/state", "4: ACTIVE");
    write(directory + "/ports/1/phys_state", "5: LinkUp");
    write(directory + "/ports/1/link_layer", "Ethernet");
    if (parent.empty()) {
      write(directory + "/parent", netdev);
    } else {
      link(directory + "/device", parent);
    }
    link("class/infiniband/" + name, directory);
    for (int index = 0; index < gid_slots; ++index) {
      write(port_directory(name, 1) + "/gids/" + std::to_string(index), kZeroGid);
    }
  }

  // Type and netdev files of an empty entry do not exist here; a kernel answers EINVAL to reading.
  void add_gid(const std::string& device, int port, int index, const FakeGid& gid) const {
    const std::string directory = port_directory(device, port);
    write(directory + "/gids/" + std::to_string(index), gid.gid);
    write(directory + "/gid_attrs/types/" + std::to_string(index), gid.type);
    if (!gid.netdev.empty()) {
      write(directory + "/gid_attrs/ndevs/" + std::to_string(index), gid.netdev);
    }
  }

 private:
  void make_directory(const std::string& path) const {
    std::filesystem::create_directories(root_ / path);
  }

  void write_netdev(const std::string& directory, const std::string& name, const std::string& mac,
                    int ifindex) const {
    write(directory + "/address", mac);
    write(directory + "/ifindex", std::to_string(ifindex));
    write(directory + "/mtu", "1500");
    write(directory + "/dev_port", "0");
    write(directory + "/dev_id", "0x0");
    write(directory + "/type", "1");
    write(directory + "/operstate", "up");
    link(directory + "/subsystem", "class/net");
    link("class/net/" + name, directory);
  }

  [[nodiscard]] static std::string port_directory(const std::string& device, int port) {
    return "class/infiniband/" + device + "/ports/" + std::to_string(port);
  }

  TempDir root_;
};

}  // namespace rocelane::test
