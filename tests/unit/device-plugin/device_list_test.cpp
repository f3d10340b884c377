// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/device_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rocelane::plugin {
namespace {

using config::Pool;
using config::PoolType;
using config::Selector;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

VirtualFunction vf(std::uint32_t index, const std::string& pf = "ens1f0") {
  return {.function = {.address = {.domain = 0,
                                   .bus = static_cast<std::uint8_t>(pf == "ens1f0" ? 1 : 2),
                                   .device = 0x10,
                                   .function = static_cast<std::uint8_t>(index)},
                       .driver = "mlx5_core",
                       .vendor = "15b3",
                       .device = "101e",
                       .netdevs = {"vf" + std::to_string(index)},
                       .rdma_devices = {"mlx5_" + std::to_string(index)},
                       .numa_node = 1,
                       .pf = PciAddress{.domain = 0, .bus = 1, .device = 0, .function = 0},
                       .vf_index = index},
          .acpi_index = {},
          .pf_names = {pf},
          .pf_has_rdma = true};
}

Pool pool(const std::string& name, std::vector<Selector> selectors,
          PoolType type = PoolType::kSriov) {
  Pool made;
  made.name = name;
  made.type = type;
  made.selectors = std::move(selectors);
  return made;
}

Selector pf_selector(const std::string& name, std::vector<std::uint32_t> vfs = {}) {
  Selector selector;
  selector.pf_names = {{.name = name, .vfs = std::move(vfs)}};
  return selector;
}

std::vector<std::string> ids(const std::vector<ListedDevice>& devices) {
  std::vector<std::string> out;
  out.reserve(devices.size());
  for (const auto& device : devices) {
    out.push_back(device.id);
  }
  return out;
}

std::vector<ListedDevice> list_one(const Pool& only, const std::vector<VirtualFunction>& vfs,
                                   const std::set<std::string>& held = {}) {
  return list_devices({only}, vfs, held).at(only.resource());
}

TEST(DeviceList, follows_pf_names_and_vf_ranges) {
  const auto listed = list_one(pool("roce", {pf_selector("ens1f0", {0, 2})}),
                               {vf(0), vf(1), vf(2), vf(0, "other")});
  EXPECT_THAT(ids(listed), ElementsAre("0000:01:10.0", "0000:01:10.2"));
}

TEST(DeviceList, matches_any_netdev_of_the_pf) {
  auto function = vf(0);
  function.pf_names = {"old", "ens1f0"};
  EXPECT_THAT(list_one(pool("roce", {pf_selector("ens1f0")}), {function}), testing::SizeIs(1));
}

TEST(DeviceList, needs_every_key_of_one_selector) {
  Selector selector = pf_selector("ens1f0");
  selector.vendors = {"8086"};
  EXPECT_THAT(list_one(pool("roce", {selector}), {vf(0)}), IsEmpty());
  selector.vendors = {"15b3"};
  selector.devices = {"101e"};
  selector.pci_addresses = {"0000:01:10.0"};
  EXPECT_THAT(ids(list_one(pool("roce", {selector}), {vf(0), vf(1)})), ElementsAre("0000:01:10.0"));
}

TEST(DeviceList, excludes_another_driver) {
  Selector selector;
  selector.drivers = {"mlx5_core"};
  auto passed_through = vf(1);
  passed_through.function.driver = "vfio-pci";
  EXPECT_THAT(ids(list_one(pool("roce", {selector}), {vf(0), passed_through})),
              ElementsAre("0000:01:10.0"));
}

TEST(DeviceList, keeps_an_unbound_vf_unhealthy_instead_of_losing_it) {
  Selector selector = pf_selector("ens1f0");
  selector.drivers = {"mlx5_core"};
  selector.is_rdma = true;
  auto unbound = vf(0);
  unbound.function.driver.clear();
  unbound.function.rdma_devices.clear();
  const auto listed = list_one(pool("roce", {selector}), {unbound});
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].reason, "no driver is bound");
}

TEST(DeviceList, withholds_a_vf_for_which_the_driver_made_no_rdma_device) {
  auto bare = vf(0);
  bare.function.rdma_devices.clear();
  const auto listed = list_one(pool("roce", {pf_selector("ens1f0")}), {bare});
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_THAT(listed[0].reason, HasSubstr("driver mlx5_core has made no RDMA device"));
}

TEST(DeviceList, of_a_held_vf_is_healthy_though_its_devices_are_in_the_pod) {
  auto moved = vf(0);
  moved.function.rdma_devices.clear();
  moved.function.netdevs.clear();
  moved.pf_has_rdma = false;
  Selector selector = pf_selector("ens1f0");
  selector.is_rdma = true;
  for (const auto type : {PoolType::kSriov, PoolType::kSoftRoce}) {
    const auto listed = list_one(pool("roce", {selector}, type), {moved}, {"0000:01:10.0"});
    ASSERT_EQ(listed.size(), 1U);
    EXPECT_TRUE(listed[0].healthy()) << listed[0].reason;
  }
}

TEST(DeviceList, of_soft_roce_needs_no_rdma_device_but_the_netdev) {
  auto igb = vf(0);
  igb.function.rdma_devices.clear();
  igb.pf_has_rdma = false;
  Selector selector = pf_selector("ens1f0");
  selector.is_rdma = true;
  const auto soft = pool("soft", {selector}, PoolType::kSoftRoce);
  EXPECT_TRUE(list_one(soft, {igb}).at(0).healthy());
  igb.function.netdevs.clear();
  EXPECT_THAT(list_one(soft, {igb}).at(0).reason, HasSubstr("netdev is not on the host"));
}

TEST(DeviceList, leaves_non_rdma_nics_out_of_is_rdma) {
  auto plain = vf(0);
  plain.function.rdma_devices.clear();
  plain.pf_has_rdma = false;
  Selector selector;
  selector.is_rdma = true;
  EXPECT_THAT(list_one(pool("roce", {selector}), {plain}), IsEmpty());
}

TEST(DeviceList, gives_a_vf_to_the_first_pool_only) {
  const auto lists =
      list_devices({pool("a", {pf_selector("ens1f0", {0})}), pool("b", {})}, {vf(0), vf(1)}, {});
  EXPECT_THAT(ids(lists.at("rdma/a")), ElementsAre("0000:01:10.0"));
  EXPECT_THAT(ids(lists.at("rdma/b")), ElementsAre("0000:01:10.1"));
}

TEST(DeviceList, is_empty_where_nothing_matches) {
  EXPECT_THAT(list_one(pool("roce", {pf_selector("nosuch")}), {vf(0)}), IsEmpty());
}

TEST(DeviceList, has_the_numa_node_unless_topology_is_excluded) {
  auto anywhere = vf(1);
  anywhere.function.numa_node.reset();
  auto roce = pool("roce", {});
  EXPECT_EQ(list_one(roce, {vf(0)}).at(0).numa_node, 1);
  EXPECT_EQ(list_one(roce, {anywhere}).at(0).numa_node, std::nullopt);
  roce.exclude_topology = true;
  EXPECT_EQ(list_one(roce, {vf(0)}).at(0).numa_node, std::nullopt);
}

TEST(HeldDevices, are_those_of_this_boot_in_any_phase) {
  state::Record now;
  now.device_id = "0000:01:10.0";
  now.boot_id = "this";
  now.phase = state::Phase::kReleasing;
  state::Record before = now;
  before.device_id = "0000:01:10.2";
  before.boot_id = "last";
  EXPECT_THAT(held_devices({now, before}, "this"), ElementsAre("0000:01:10.0"));
}

}  // namespace
}  // namespace rocelane::plugin
