// SPDX-License-Identifier: Apache-2.0
#include "lib/rdma/function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_sysfs.h"
#include "tests/support/result_matchers.h"

namespace rocelane::rdma {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

PciAddress pci(const char* text) {
  auto parsed = PciAddress::parse(text);
  ROCELANE_CHECK(parsed.ok());
  return *parsed;
}

constexpr const char* kPf = "0000:01:00.0";

class FunctionTest : public testing::Test {
 protected:
  FunctionTest() {
    tree_.add_function({.address = kPf, .netdev = "ens1f0", .numa_node = 1, .total_vfs = 12});
  }

  void add_vf(int index, const std::string& address) {
    tree_.add_vf(kPf, index,
                 {.address = address,
                  .driver = "igbvf",
                  .netdev = "ens1f0v" + std::to_string(index),
                  .ifindex = 10 + index});
  }

  test::FakeSysfs tree_;
};

TEST_F(FunctionTest, pf_is_read_with_its_counts) {
  add_vf(0, "0000:01:10.0");
  const auto pf = read_function(tree_.open(), pci(kPf));
  ASSERT_OK(pf);
  EXPECT_EQ(pf->driver, "igb");
  EXPECT_EQ(pf->vendor, "8086");
  EXPECT_EQ(pf->device, "10c9");
  EXPECT_THAT(pf->netdevs, ElementsAre("ens1f0"));
  EXPECT_EQ(pf->numa_node, 1);
  EXPECT_EQ(pf->total_vfs, 12U);
  EXPECT_EQ(pf->num_vfs, 1U);
  EXPECT_EQ(pf->pf, std::nullopt);
  EXPECT_EQ(pf->vf_index, std::nullopt);
}

TEST_F(FunctionTest, vf_knows_its_pf_and_index) {
  add_vf(0, "0000:01:10.0");
  add_vf(10, "0000:01:12.4");
  const auto vf = read_function(tree_.open(), pci("0000:01:12.4"));
  ASSERT_OK(vf);
  EXPECT_EQ(vf->pf, pci(kPf));
  EXPECT_EQ(vf->vf_index, 10U);
  EXPECT_EQ(vf->total_vfs, 0U);
  EXPECT_EQ(vf->numa_node, std::nullopt) << "-1 means that the platform does not say";
}

TEST_F(FunctionTest, vf_inside_a_pod_has_no_netdev_and_unbound_one_no_driver) {
  add_vf(0, "0000:01:10.0");
  tree_.remove_netdev("0000:01:10.0", "ens1f0v0");
  tree_.unbind("0000:01:10.0", "igbvf");
  const auto vf = read_function(tree_.open(), pci("0000:01:10.0"));
  ASSERT_OK(vf);
  EXPECT_THAT(vf->netdevs, IsEmpty());
  EXPECT_EQ(vf->driver, "");
}

TEST_F(FunctionTest, every_netdev_of_a_function_is_listed) {
  tree_.add_netdev(kPf, "ens1f0d1", "52:54:00:00:00:09", 9);
  const auto pf = read_function(tree_.open(), pci(kPf));
  ASSERT_OK(pf);
  EXPECT_THAT(pf->netdevs, ElementsAre("ens1f0", "ens1f0d1"));
}

TEST_F(FunctionTest, hardware_rdma_device_is_found_under_any_name) {
  tree_.add_function({.address = "0000:02:00.0", .netdev = "ens2", .rdma_device = "rocep2s0"});
  const auto function = read_function(tree_.open(), pci("0000:02:00.0"));
  ASSERT_OK(function);
  EXPECT_THAT(function->rdma_devices, ElementsAre("rocep2s0"));
}

TEST_F(FunctionTest, unplugged_function_is_not_found) {
  EXPECT_ERROR(read_function(tree_.open(), pci("0000:09:00.0")), Code::kNotFound);
  EXPECT_ERROR(list_vfs(tree_.open(), pci("0000:09:00.0")), Code::kNotFound);
}

TEST_F(FunctionTest, unreadable_count_is_an_error_and_not_zero) {
  tree_.write("bus/pci/devices/0000:01:00.0/sriov_numvfs", "many");
  EXPECT_ERROR(read_function(tree_.open(), pci(kPf)), Code::kInvalidInput);
}

TEST_F(FunctionTest, vfs_come_in_index_order_not_in_name_order) {
  add_vf(10, "0000:01:12.4");
  add_vf(2, "0000:01:10.4");
  add_vf(0, "0000:01:10.0");
  const auto vfs = list_vfs(tree_.open(), pci(kPf));
  ASSERT_OK(vfs);
  EXPECT_THAT(*vfs, ElementsAre(pci("0000:01:10.0"), pci("0000:01:10.4"), pci("0000:01:12.4")));
}

TEST_F(FunctionTest, pf_without_vfs_lists_none) {
  const auto vfs = list_vfs(tree_.open(), pci(kPf));
  ASSERT_OK(vfs);
  EXPECT_THAT(*vfs, IsEmpty());
}

TEST_F(FunctionTest, netdev_leads_to_its_function) {
  const auto address = function_of_netdev(tree_.open(), "ens1f0");
  ASSERT_OK(address);
  EXPECT_EQ(*address, pci(kPf));
}

TEST_F(FunctionTest, netdev_without_a_pci_parent_has_no_function) {
  tree_.add_virtual_netdev("veth0", "52:54:00:00:00:01", 7);
  tree_.add_virtual_netdev("eth0", "52:54:00:00:00:02", 8);
  tree_.link("devices/virtual/net/eth0/device", "devices/pci0000:00/0000:00:03.0/virtio1");
  for (const char* name : {"veth0", "eth0"}) {
    const auto address = function_of_netdev(tree_.open(), name);
    ASSERT_OK(address);
    EXPECT_EQ(*address, std::nullopt) << name;
  }
  EXPECT_ERROR(function_of_netdev(tree_.open(), "gone0"), Code::kNotFound);
}

}  // namespace
}  // namespace rocelane::rdma
