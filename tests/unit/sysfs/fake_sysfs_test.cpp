// SPDX-License-Identifier: Apache-2.0
// The fake tree itself: its links must lead where the kernel's do, or tests on it prove nothing.
#include "tests/support/fake_sysfs.h"

#include "tests/support/result_matchers.h"

namespace rocelane::test {
namespace {

TEST(FakeSysfs, a_vf_and_its_pf_point_at_each_other) {
  FakeSysfs tree;
  tree.add_function({.address = "0000:01:00.0", .netdev = "ens1f0", .total_vfs = 7});
  tree.add_vf("0000:01:00.0", 2,
              {.address = "0000:01:10.4", .driver = "igbvf", .netdev = "ens1f0v2"});
  auto sysfs = tree.open();
  EXPECT_EQ(*sysfs.read_number("class/net/ens1f0v2/device/physfn/sriov_numvfs"), 3);
  EXPECT_EQ(*sysfs.link_name("class/net/ens1f0/device"), "0000:01:00.0");
  EXPECT_EQ(*sysfs.link_name("class/net/ens1f0/device/virtfn2"), "0000:01:10.4");
  EXPECT_EQ(*sysfs.link_name("bus/pci/devices/0000:01:10.4/driver"), "igbvf");
  EXPECT_TRUE(sysfs.exists("bus/pci/drivers/igbvf/0000:01:10.4/net/ens1f0v2/address"));
}

TEST(FakeSysfs, a_soft_rdma_device_has_a_parent_file_and_gids) {
  FakeSysfs tree;
  tree.add_rdma_device("rxe0", "", "eth0", 2);
  tree.add_gid("rxe0", 1, 1, {.gid = "0000:0000:0000:0000:0000:ffff:0a38:0005", .netdev = "eth0"});
  auto sysfs = tree.open();
  EXPECT_EQ(*sysfs.read("class/infiniband/rxe0/parent"), "eth0");
  EXPECT_EQ(*sysfs.read("class/infiniband/rxe0/ports/1/gids/0"), FakeSysfs::kZeroGid);
  EXPECT_EQ(*sysfs.read("class/infiniband/rxe0/ports/1/gid_attrs/ndevs/1"), "eth0");
}

TEST(FakeSysfs, a_hardware_rdma_device_is_below_its_function) {
  FakeSysfs tree;
  tree.add_function(
      {.address = "0000:3b:00.0", .driver = "mlx5_core", .numa_node = 1, .rdma_device = "mlx5_0"});
  auto sysfs = tree.open();
  EXPECT_TRUE(sysfs.exists("bus/pci/devices/0000:3b:00.0/infiniband/mlx5_0/ports/1/state"));
  EXPECT_EQ(*sysfs.read_number("class/infiniband/mlx5_0/device/numa_node"), 1);
}

}  // namespace
}  // namespace rocelane::test
