// SPDX-License-Identifier: Apache-2.0
// ADD and DEL on a real VF, and everything that may happen between them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "lib/netlink/link.h"
#include "tests/process/cni/vf_test_case.h"
#include "tests/support/result_matchers.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

class Attach : public VfTestCase {
 protected:
  // An ADD that has to succeed.
  void add(const PodSandbox& pod, const nlohmann::json& changes = {}) {
    const auto answer = call_cni(call("ADD", pod, changes));
    ASSERT_EQ(answer.exit_code, 0) << answer.output << answer.log;
  }
  void del(const PodSandbox& pod, const nlohmann::json& changes = {}) {
    const auto answer = call_cni(call("DEL", pod, changes));
    ASSERT_EQ(answer.exit_code, 0) << answer.output << answer.log;
  }
};

TEST_F(Attach, moves_the_vf_into_the_pod_and_del_brings_everything_back) {
  const auto before = snapshot();
  const PodSandbox pod("one");
  const auto answer = call_cni(call("ADD", pod, {{"cniVersion", "1.1.0"}}));
  ASSERT_EQ(answer.exit_code, 0) << answer.output << answer.log;
  const auto result = answer.json();
  EXPECT_EQ(result["interfaces"][0]["name"], "net1");
  EXPECT_EQ(result["interfaces"][0]["pciID"], device_id_);
  EXPECT_EQ(result["ips"][0]["interface"], 0);

  const auto link = pod.link("net1");
  ASSERT_TRUE(link.has_value());
  EXPECT_TRUE(link->up());
  EXPECT_EQ(link->parent_device, device_id_);
  EXPECT_EQ(result["interfaces"][0]["mac"], link->mac.to_string());
  EXPECT_THAT(snapshot(), testing::Contains(HasSubstr(pf_ + " vf 0")));
  EXPECT_THAT(snapshot(), testing::Contains(HasSubstr("vlan 100")));
  EXPECT_TRUE(std::filesystem::exists(work_ / ("cdi/rocelane-" + device_id_ + ".json")));

  del(pod);
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, del_is_repeatable_and_works_without_the_netns_variable) {
  const auto before = snapshot();
  const PodSandbox pod("twice");
  add(pod);
  auto without_netns = call("DEL", pod);
  without_netns.environment.erase("CNI_NETNS");
  EXPECT_EQ(call_cni(without_netns).exit_code, 0);
  EXPECT_EQ(snapshot(), before);
  EXPECT_EQ(call_cni(without_netns).exit_code, 0);
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, del_after_the_netns_is_gone_restores_name_mac_mtu_and_vlan) {
  const auto before = snapshot();
  PodSandbox pod("gone");
  add(pod);
  const auto late = call("DEL", pod);
  pod.destroy();
  const auto answer = call_cni(late);
  EXPECT_EQ(answer.exit_code, 0) << answer.output << answer.log;
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, what_the_workload_changed_inside_does_not_survive) {
  const auto before = snapshot();
  const PodSandbox pod("busy");
  add(pod, {{"trust", "on"}});
  netlink::LinkChange change;
  change.up = false;
  pod.change_link("net1", change);
  change.name = "mine";
  change.mtu = 1300;
  change.mac = MacAddress::parse("02:11:22:33:44:55").value_or({});
  pod.change_link("net1", change);
  del(pod);
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, a_failing_ipam_plugin_leaves_nothing_behind_and_is_quoted) {
  const auto before = snapshot();
  const PodSandbox pod("ipam");
  write_ipam(R"(#!/bin/sh
cat > /dev/null
[ "$CNI_COMMAND" = ADD ] || exit 0
echo '{"cniVersion":"1.0.0","code":110,"msg":"no addresses left in 10.99.0.0/24"}'; exit 1
)");
  const auto answer = call_cni(call("ADD", pod));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.code(), 102) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("step ipam"));
  EXPECT_THAT(answer.message(), HasSubstr("no addresses left in 10.99.0.0/24"));
  EXPECT_THAT(answer.message(), HasSubstr(device_id_));
  EXPECT_EQ(snapshot(), before);
  EXPECT_FALSE(pod.link("net1").has_value());
}

TEST_F(Attach, a_missing_ipam_plugin_is_named_with_the_directories) {
  const auto before = snapshot();
  const PodSandbox pod("noipam");
  const auto answer = call_cni(call("ADD", pod, {{"ipam", {{"type", "whereabouts"}}}}));
  EXPECT_EQ(answer.code(), 102) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("whereabouts"));
  EXPECT_THAT(answer.message(), HasSubstr(work_ / "bin"));
}

TEST_F(Attach, an_mtu_above_the_pfs_is_refused_before_anything_changes) {
  const auto before = snapshot();
  const PodSandbox pod("mtu");
  const auto answer = call_cni(call("ADD", pod, {{"mtu", 9000}}));
  EXPECT_EQ(answer.code(), 7) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("9000"));
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, an_option_the_nic_refuses_rolls_the_vlan_back_at_once) {
  const auto before = snapshot();
  const PodSandbox pod("refused");
  // igb takes VLAN, spoofchk and rate, but has no per-VF link state.
  const auto answer = call_cni(call("ADD", pod, {{"link_state", "enable"}}));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.message(), HasSubstr("step vf-settings"));
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, a_device_of_a_living_pod_is_not_given_away) {
  const PodSandbox owner("owner");
  add(owner);
  const PodSandbox other("other");
  const auto answer = call_cni(call("ADD", other));
  EXPECT_EQ(answer.code(), 11) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("pod-owner"));
  EXPECT_TRUE(owner.link("net1").has_value());
  // Its DEL, which the runtime sends after a failed ADD, must not touch the owner either.
  del(other);
  EXPECT_TRUE(owner.link("net1").has_value());
  del(owner);
}

TEST_F(Attach, an_add_after_a_lost_del_finishes_the_release_first) {
  const auto before = snapshot();
  PodSandbox dead("dead");
  add(dead, {{"spoofchk", "off"}});
  const auto late = call("DEL", dead);
  dead.destroy();
  const PodSandbox next("next");
  add(next);
  EXPECT_TRUE(next.link("net1").has_value());
  // The dead pod's DEL comes at last: the device is no longer its own.
  EXPECT_EQ(call_cni(late).exit_code, 0);
  EXPECT_TRUE(next.link("net1").has_value());
  EXPECT_THAT(snapshot(), testing::Contains(HasSubstr("vlan 100")));
  del(next);
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, a_vlan_left_by_somebody_is_overwritten_by_absent_vlan_and_restored) {
  auto socket = netlink::Socket::open(netlink::Family::kRoute);
  ASSERT_OK(socket);
  const auto pf = netlink::find_link(*socket, pf_);
  ASSERT_OK(pf);
  netlink::VfChange left;
  left.vlan = netlink::VfChange::Vlan{.vlan = 77, .qos = 0, .proto = 0x8100};
  ASSERT_OK(netlink::set_vf(*socket, (*pf)->index, left));
  const auto before = snapshot();
  const PodSandbox pod("left");
  auto plain = nlohmann::json::parse(conf());
  plain.erase("vlan");
  auto request = call("ADD", pod);
  request.input = plain.dump();
  ASSERT_EQ(call_cni(request).exit_code, 0);
  EXPECT_THAT(snapshot(), testing::Not(testing::Contains(HasSubstr("vlan 77"))));
  request.command = "DEL";
  EXPECT_EQ(call_cni(request).exit_code, 0);
  EXPECT_EQ(snapshot(), before);
  left.vlan->vlan = 0;
  EXPECT_OK(netlink::set_vf(*socket, (*pf)->index, left));
}

TEST_F(Attach, a_host_name_and_an_alternative_name_that_collide_in_the_pod_do_not_matter) {
  auto socket = netlink::Socket::open(netlink::Family::kRoute);
  ASSERT_OK(socket);
  const auto names =
      std::filesystem::directory_iterator("/sys/bus/pci/devices/" + device_id_ + "/net");
  const auto host_name = names->path().filename().string();
  const auto link = netlink::find_link(*socket, host_name);
  ASSERT_OK(link);
  netlink::LinkChange rename;
  rename.name = "eth0";
  ASSERT_OK(netlink::set_link(*socket, (*link)->index, rename));
  ASSERT_OK(netlink::add_alt_name(*socket, (*link)->index, "rocealt"));
  // What udev does to a link that is not named as it would: its own name as an alternative one.
  if (const auto added = netlink::add_alt_name(*socket, (*link)->index, host_name);
      !added.ok() && added.error().code != Code::kAlreadyExists) {
    FAIL() << added.error().message;
  }
  const auto before = snapshot();
  const PodSandbox pod("names");
  {
    auto inside =
        netns::run_in(pod.ns(), [] { return netlink::Socket::open(netlink::Family::kRoute); });
    ASSERT_OK(inside);
    ASSERT_OK(netlink::add_link(*inside, netlink::VethSpec{.name = "eth0", .peer = "rocealt"}));
  }
  add(pod);
  del(pod);
  EXPECT_EQ(snapshot(), before);
  // The renaming below would collide with the alternative name.
  const auto now = netlink::find_link(*socket, "eth0");
  ASSERT_OK(now);
  for (const auto& name : (*now)->alt_names) {
    EXPECT_OK(netlink::remove_alt_name(*socket, (*now)->index, name));
  }
  rename.name = host_name;
  EXPECT_OK(netlink::set_link(*socket, (*now)->index, rename));
}

TEST_F(Attach, a_taken_interface_name_is_refused_before_anything_changes) {
  const auto before = snapshot();
  const PodSandbox pod("taken");
  auto inside =
      netns::run_in(pod.ns(), [] { return netlink::Socket::open(netlink::Family::kRoute); });
  ASSERT_OK(inside);
  ASSERT_OK(netlink::add_link(*inside, netlink::VethSpec{.name = "net1", .peer = "other"}));
  const auto answer = call_cni(call("ADD", pod));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_THAT(answer.message(), HasSubstr("net1"));
  EXPECT_EQ(snapshot(), before);
}

TEST_F(Attach, a_device_that_does_not_exist_is_named) {
  const PodSandbox pod("nodev");
  const auto answer = call_cni(call("ADD", pod, {{"deviceID", "0000:7f:1f.7"}}));
  EXPECT_EQ(answer.code(), 101) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("0000:7f:1f.7"));
}

}  // namespace
}  // namespace rocelane::test
