// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/inventory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_sysfs.h"
#include "tests/support/result_matchers.h"

namespace rocelane::plugin {
namespace {

using testing::ElementsAre;

std::vector<std::string> addresses(const std::vector<VirtualFunction>& vfs) {
  std::vector<std::string> out;
  out.reserve(vfs.size());
  for (const auto& vf : vfs) {
    out.push_back(vf.function.address.to_string());
  }
  return out;
}

class Inventory : public testing::Test {
 protected:
  void SetUp() override {
    tree_.add_function({.address = "0000:01:00.0", .netdev = "ens1f0", .total_vfs = 8});
    for (const int index : {0, 1, 2}) {
      tree_.add_vf("0000:01:00.0", index,
                   {.address = "0000:01:10." + std::to_string(2 * index),
                    .driver = "igbvf",
                    .netdev = "vf" + std::to_string(index),
                    .ifindex = 10 + index});
    }
  }

  std::vector<VirtualFunction> scan() {
    auto vfs = scan_vfs(tree_.open());
    EXPECT_OK(vfs);
    return std::move(vfs).value_or({});
  }

  test::FakeSysfs tree_;
};

TEST_F(Inventory, has_the_vfs_of_a_pf_in_order) {
  const auto vfs = scan();
  EXPECT_THAT(addresses(vfs), ElementsAre("0000:01:10.0", "0000:01:10.2", "0000:01:10.4"));
  EXPECT_EQ(vfs[2].function.vf_index, 2U);
  EXPECT_THAT(vfs[2].pf_names, ElementsAre("ens1f0"));
  EXPECT_FALSE(vfs[2].pf_has_rdma);
}

TEST_F(Inventory, keeps_a_vf_whose_netdev_is_inside_a_pod) {
  tree_.remove_netdev("0000:01:10.2", "vf1");
  EXPECT_EQ(scan().size(), 3U);
}

TEST_F(Inventory, keeps_a_vf_without_a_driver) {
  tree_.unbind("0000:01:10.0", "igbvf");
  const auto vfs = scan();
  ASSERT_EQ(vfs.size(), 3U);
  EXPECT_EQ(vfs[0].function.driver, "");
}

TEST_F(Inventory, forgets_vfs_that_were_removed) {
  tree_.remove("devices/pci0000:00/0000:00:01.0/0000:01:00.0/virtfn2");
  EXPECT_EQ(scan().size(), 2U);
}

TEST_F(Inventory, leaves_out_functions_without_sriov) {
  tree_.add_function({.address = "0000:02:00.0", .netdev = "eno1"});
  EXPECT_EQ(scan().size(), 3U);
}

TEST_F(Inventory, sees_every_netdev_of_a_pf_and_its_rdma_device) {
  tree_.add_netdev("0000:01:00.0", "ens1f1", "02:00:00:00:00:01", 30);
  tree_.add_rdma_device("mlx5_0", test::FakeSysfs::directory_of("0000:01:00.0"), "ens1f0");
  const auto vfs = scan();
  EXPECT_THAT(vfs[0].pf_names, ElementsAre("ens1f0", "ens1f1"));
  EXPECT_TRUE(vfs[0].pf_has_rdma);
}

TEST_F(Inventory, is_empty_on_a_host_without_pci) {
  const test::TempDir empty;
  auto sysfs = sysfs::Sysfs::open(empty.path());
  ASSERT_OK(sysfs);
  const auto vfs = scan_vfs(*sysfs);
  ASSERT_OK(vfs);
  EXPECT_TRUE(vfs->empty());
}

}  // namespace
}  // namespace rocelane::plugin
