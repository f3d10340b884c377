// SPDX-License-Identifier: Apache-2.0
#include "node-agent/port_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "node-agent/vf_mac.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/node-agent/fake_nic.h"

namespace rocelane::agent {
namespace {

using test::FakeNic;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PortKeeperTest : public testing::Test {
 protected:
  PortKeeperTest() {
    auto opened = state::Store::open(dir_.path());
    ROCELANE_CHECK(opened.ok());
    store_.emplace(std::move(*opened));
  }

  // Calls the keeper as the loop does: again at once while it works.
  PortStatus settle(PortKeeper& keeper) {
    const auto kernel = nic_.kernel();
    const auto sysfs = nic_.tree.open();
    for (int pass = 0; pass < kMaxPasses; ++pass) {
      auto status =
          keeper.ensure({.sysfs = sysfs, .kernel = kernel, .store = *store_, .boot_id = "b1"});
      if (status.state != PortState::kWorking) {
        return status;
      }
    }
    return {PortState::kWorking, "never settles"};
  }
  PortStatus settle() { return settle(keeper_); }

  void pod_holds(std::size_t vf, const std::string& boot = "b1") {
    state::Record record;
    record.container_id = "c" + std::to_string(vf);
    record.if_name = "roce0";
    record.device_id = FakeNic::vf_address(vf);
    record.generation = "g";
    record.boot_id = boot;
    record.pod = {.ns = "team", .name = "trainer-" + std::to_string(vf), .uid = "u"};
    ASSERT_OK(store_->save(record));
  }

  static config::Port port(std::optional<std::uint32_t> vfs,
                           std::optional<std::uint32_t> mtu = std::nullopt) {
    config::Port wanted;
    wanted.pf_names = {FakeNic::kName};
    wanted.num_vfs = vfs;
    wanted.mtu = mtu;
    return wanted;
  }
  MacAddress own_mac(std::uint32_t vf) {
    return derive_vf_mac({.pf_permanent_mac = nic_.pf.mac, .pf = {.bus = 1}, .vf = vf}, 0);
  }
  static MacAddress foreign_mac(std::uint8_t last) { return MacAddress{{0x02, 0, 0, 0, 0, last}}; }

  static constexpr int kMaxPasses = 50;
  static constexpr PortKeeper::Limits kNoPatience{.carrier = std::chrono::milliseconds(0),
                                                  .netdev = std::chrono::milliseconds(0),
                                                  .lock = std::chrono::milliseconds(0)};
  rocelane::test::TempDir dir_;
  std::optional<state::Store> store_;
  FakeNic nic_;
  PortKeeper keeper_{FakeNic::kName, port(2, 4200), kNoPatience};
};

TEST_F(PortKeeperTest, fresh_port_is_built_in_the_order_that_drivers_need) {
  EXPECT_EQ(settle(), (PortStatus{PortState::kReady, "2 virtual functions"}));
  EXPECT_THAT(nic_.log, ElementsAre("ens1f0 up", "ens1f0 mtu 4200", "numvfs 2 autoprobe=0 pf-up",
                                    "mac 0 autoprobe=0 unbound", "mac 1 autoprobe=0 unbound",
                                    "probe 0 autoprobe=1", "probe 1 autoprobe=1",
                                    "ens1f0v0 mtu 4200", "ens1f0v1 mtu 4200"));
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0));
  EXPECT_EQ(nic_.netdev(1).mac, own_mac(1));
}

TEST_F(PortKeeperTest, second_run_changes_nothing) {
  settle();
  nic_.log.clear();
  PortKeeper next(FakeNic::kName, port(2, 4200), kNoPatience);
  EXPECT_EQ(settle(next).state, PortState::kReady);
  EXPECT_THAT(nic_.log, IsEmpty());
}

TEST_F(PortKeeperTest, stop_at_any_moment_ends_in_the_same_port) {
  const auto kernel = nic_.kernel();
  const auto sysfs = nic_.tree.open();
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    PortKeeper fresh(FakeNic::kName, port(2, 4200), kNoPatience);
    if (fresh.ensure({.sysfs = sysfs, .kernel = kernel, .store = *store_, .boot_id = "b1"}).state ==
        PortState::kReady) {
      break;
    }
  }
  EXPECT_EQ(nic_.autoprobe(), "1");
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0));
  EXPECT_EQ(nic_.netdev(1).mac, own_mac(1));
  EXPECT_EQ(std::count(nic_.log.begin(), nic_.log.end(), "probe 0 autoprobe=1"), 1);
}

TEST_F(PortKeeperTest, missing_pf_is_waited_for) {
  nic_.pf.name = "other0";
  EXPECT_EQ(settle().state, PortState::kMissing);
  nic_.pf.name = FakeNic::kName;
  EXPECT_EQ(settle().state, PortState::kReady);
}

TEST_F(PortKeeperTest, more_than_the_device_has_is_refused_with_the_number) {
  PortKeeper keeper(FakeNic::kName, port(9), kNoPatience);
  const auto status = settle(keeper);
  EXPECT_EQ(status.state, PortState::kFailed);
  EXPECT_THAT(status.detail, HasSubstr("at most 7"));
}

TEST_F(PortKeeperTest, number_is_never_changed_under_a_pod) {
  nic_.has_vfs({own_mac(0), own_mac(1), own_mac(2)});
  pod_holds(1);
  nic_.take(1);
  const auto status = settle();
  EXPECT_EQ(status.state, PortState::kBlocked);
  EXPECT_THAT(status.detail, HasSubstr("BlockedByPods"));
  EXPECT_THAT(status.detail, HasSubstr("team/trainer-1"));
  EXPECT_EQ(nic_.pf.vfs.size(), 3U);
}

TEST_F(PortKeeperTest, blocked_number_does_not_keep_the_other_vfs_from_being_made_right) {
  nic_.has_vfs({own_mac(0), own_mac(1), foreign_mac(3)});
  pod_holds(1);
  nic_.take(1);
  EXPECT_EQ(settle().state, PortState::kBlocked);
  EXPECT_EQ(nic_.netdev(2).mac, own_mac(2));
  EXPECT_EQ(nic_.netdev(0).mtu, 4200U);
}

TEST_F(PortKeeperTest, number_is_never_changed_under_somebody_without_a_record) {
  nic_.has_vfs({own_mac(0), own_mac(1), own_mac(2)});
  nic_.take(2);
  const auto status = settle();
  EXPECT_EQ(status.state, PortState::kBlocked);
  EXPECT_THAT(status.detail, HasSubstr("0000:01:10.2"));
}

TEST_F(PortKeeperTest, vf_that_is_being_renamed_is_not_taken_for_one_in_use) {
  nic_.has_vfs({own_mac(0), own_mac(1), own_mac(2)});
  nic_.netdev(1).name = "eth0";
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.pf.vfs.size(), 2U);
}

TEST_F(PortKeeperTest, older_kernel_that_does_not_name_parents_will_do) {
  nic_.names_parents = false;
  EXPECT_EQ(settle(), (PortStatus{PortState::kReady, "2 virtual functions"}));
  EXPECT_EQ(nic_.netdev(1).mtu, 4200U);
}

TEST_F(PortKeeperTest, damaged_record_counts_as_a_pod) {
  nic_.has_vfs({own_mac(0), own_mac(1), own_mac(2)});
  ASSERT_OK(write_file_atomic(store_->record_path("c9", "roce0"), "{\"ver", Durability::kRename));
  EXPECT_EQ(settle().state, PortState::kBlocked);
}

TEST_F(PortKeeperTest, number_changes_when_all_vfs_are_free) {
  nic_.has_vfs({own_mac(0), own_mac(1), own_mac(2)});
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.pf.vfs.size(), 2U);
  EXPECT_EQ(nic_.netdev(1).mac, own_mac(1));
}

TEST_F(PortKeeperTest, zero_removes_all_and_is_ready) {
  nic_.has_vfs({own_mac(0)});
  PortKeeper keeper(FakeNic::kName, port(0), kNoPatience);
  EXPECT_EQ(settle(keeper).state, PortState::kReady);
  EXPECT_THAT(nic_.pf.vfs, IsEmpty());
}

TEST_F(PortKeeperTest, wrong_mac_of_a_free_vf_is_replaced_and_the_driver_bound_again) {
  nic_.has_vfs({foreign_mac(1), own_mac(1)});
  nic_.pf.mtu = 4200;
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0));
  EXPECT_THAT(nic_.log, testing::IsSupersetOf(
                            {"mac 0 autoprobe=1 bound", "unbind 0", "probe 0 autoprobe=1"}));
}

TEST_F(PortKeeperTest, wrong_mac_of_a_held_vf_is_left_alone) {
  nic_.has_vfs({foreign_mac(1), own_mac(1)});
  nic_.pf.mtu = 4200;
  nic_.netdev(1).mtu = 4200;
  pod_holds(0);
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_THAT(nic_.log, IsEmpty()) << "held, although its netdev is still on the host";
  nic_.take(0);
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_THAT(nic_.log, IsEmpty());
}

TEST_F(PortKeeperTest, record_of_an_earlier_boot_holds_nothing) {
  nic_.has_vfs({foreign_mac(1), own_mac(1), own_mac(2)});
  pod_holds(0, "b0");
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.pf.vfs.size(), 2U);
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0));
}

TEST_F(PortKeeperTest, pf_that_came_back_gets_its_vfs_although_records_still_name_them) {
  pod_holds(0);
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0)) << "set before the driver took another one";
}

TEST_F(PortKeeperTest, vf_of_a_bond_is_left_alone) {
  nic_.has_vfs({foreign_mac(1), own_mac(1)});
  nic_.pf.mtu = 4200;
  nic_.netdev(0).master = IfIndex{7};
  nic_.netdev(1).mtu = 4200;
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_THAT(nic_.log, IsEmpty());
}

TEST_F(PortKeeperTest, two_vfs_never_share_a_mac) {
  nic_.has_vfs({own_mac(1), own_mac(1)});
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_NE(nic_.netdev(0).mac, nic_.netdev(1).mac);
}

TEST_F(PortKeeperTest, mac_of_another_link_of_the_host_is_avoided) {
  netlink::Link bridge;
  bridge.index = {50};
  bridge.name = "br0";
  bridge.mac = own_mac(0);
  nic_.netdevs.push_back(bridge);
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_NE(nic_.netdev(0).mac, own_mac(0));
}

TEST_F(PortKeeperTest, driver_that_holds_another_mac_is_rebound_once_only) {
  nic_.has_vfs({own_mac(0), own_mac(1)});
  nic_.netdev(0).mac = foreign_mac(9);
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_EQ(nic_.netdev(0).mac, own_mac(0));
  nic_.netdev(0).mac = foreign_mac(9);
  nic_.log.clear();
  EXPECT_EQ(settle().state, PortState::kReady);
  EXPECT_THAT(nic_.log, IsEmpty()) << "a rebind that does not help is not repeated for ever";
}

TEST_F(PortKeeperTest, without_num_vfs_the_count_and_an_admins_macs_stay) {
  nic_.has_vfs({foreign_mac(1), MacAddress{}, foreign_mac(3)});
  PortKeeper keeper(FakeNic::kName, port(std::nullopt), kNoPatience);
  EXPECT_EQ(settle(keeper).state, PortState::kReady);
  EXPECT_EQ(nic_.netdev(0).mac, foreign_mac(1));
  EXPECT_EQ(nic_.netdev(1).mac, own_mac(1)) << "zero: the node GUID would be zero too";
  EXPECT_EQ(nic_.netdev(2).mac, foreign_mac(3));
}

TEST_F(PortKeeperTest, vf_without_a_driver_is_named) {
  nic_.driver_exists = false;
  const auto status = settle();
  EXPECT_EQ(status.state, PortState::kFailed);
  EXPECT_THAT(status.detail, HasSubstr("0000:01:10.0"));
  const auto probes = std::count(nic_.log.begin(), nic_.log.end(), "probe 0 autoprobe=1");
  settle();
  EXPECT_EQ(std::count(nic_.log.begin(), nic_.log.end(), "probe 0 autoprobe=1"), probes);
}

TEST_F(PortKeeperTest, vf_mtu_never_exceeds_the_pfs) {
  nic_.has_vfs({own_mac(0)});
  nic_.netdev(0).mtu = 9000;
  PortKeeper keeper(FakeNic::kName, port(std::nullopt), kNoPatience);
  EXPECT_EQ(settle(keeper).state, PortState::kReady);
  EXPECT_EQ(nic_.netdev(0).mtu, 1500U);
}

TEST_F(PortKeeperTest, vf_that_the_cni_works_on_is_waited_for) {
  nic_.has_vfs({foreign_mac(1), own_mac(1)});
  nic_.pf.mtu = 4200;
  auto lock = store_->lock_device(FakeNic::vf_address(0), std::chrono::milliseconds(0));
  ASSERT_OK(lock);
  EXPECT_EQ(settle().state, PortState::kWaiting);
  EXPECT_THAT(nic_.log, IsEmpty());
}

TEST_F(PortKeeperTest, carrier_is_waited_for_before_vfs_are_made_and_not_for_ever) {
  nic_.pf.carrier = false;
  PortKeeper patient(FakeNic::kName, port(2), PortKeeper::Limits{});
  EXPECT_EQ(settle(patient).state, PortState::kWaiting);
  EXPECT_THAT(nic_.pf.vfs, IsEmpty());
  EXPECT_EQ(settle().state, PortState::kReady);
}

TEST_F(PortKeeperTest, netdev_that_is_not_a_pci_function_is_said_to_be_so) {
  nic_.tree.add_virtual_netdev("veth0", "02:00:00:00:00:01", 9);
  nic_.pf.name = "veth0";
  PortKeeper keeper("veth0", port(2), kNoPatience);
  const auto status = settle(keeper);
  EXPECT_EQ(status.state, PortState::kFailed);
  EXPECT_THAT(status.detail, HasSubstr("not a PCI network function"));
}

}  // namespace
}  // namespace rocelane::agent
