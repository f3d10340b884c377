// SPDX-License-Identifier: Apache-2.0
// Links of the real kernel: what is set is what is read back.
#include "lib/netlink/link.h"

#include <net/if.h>

#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kLongName = "enp59s0f0np0v3-longer-than-fifteen";

class LinkTest : public test::NetNsTest {
 protected:
  void SetUp() override {
    NetNsTest::SetUp();
    if (!IsSkipped()) {
      ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
    }
  }

  void set(const std::string& name, const LinkChange& change) {
    ASSERT_OK(set_link(socket(), link(name).index, change));
  }
};

TEST_F(LinkTest, veth_ends_know_each_other) {
  const Link near = link("rl0");
  const Link far = link("rl1");
  EXPECT_EQ(near.kind, "veth");
  EXPECT_EQ(near.lower, far.index);
  EXPECT_EQ(far.lower, near.index);
  EXPECT_FALSE(near.mac.is_zero());
  EXPECT_EQ(near.mtu, 1500U);
  EXPECT_EQ(near.type, 1);
}

TEST_F(LinkTest, up_and_down) {
  EXPECT_FALSE(link("rl0").up());
  set("rl0", {.up = true});
  EXPECT_TRUE(link("rl0").up());
  EXPECT_FALSE(link("rl0").carrier);
  set("rl1", {.up = true});
  EXPECT_TRUE(link("rl0").carrier);
  set("rl0", {.up = false});
  EXPECT_FALSE(link("rl0").up());
}

TEST_F(LinkTest, several_changes_in_one_request) {
  const MacAddress mac = MacAddress::parse("02:00:5e:10:00:07").value();
  set("rl0", {.name = "roce0", .mtu = 4200, .mac = mac, .up = true});
  const Link changed = link("roce0");
  EXPECT_EQ(changed.mtu, 4200U);
  EXPECT_EQ(changed.mac, mac);
  EXPECT_TRUE(changed.up());
}

TEST_F(LinkTest, name_that_is_taken_is_refused) {
  EXPECT_ERROR(set_link(socket(), link("rl0").index, {.name = "rl1"}), Code::kAlreadyExists);
}

TEST_F(LinkTest, master_is_set_and_cleared) {
  ASSERT_OK(add_link(socket(), BridgeSpec{.name = "br0"}));
  const Link bridge = link("br0");
  EXPECT_EQ(bridge.kind, "bridge");
  set("rl0", {.master = bridge.index});
  EXPECT_EQ(link("rl0").master, bridge.index);
  set("rl0", {.master = IfIndex{0}});
  EXPECT_EQ(link("rl0").master, std::nullopt);
}

TEST_F(LinkTest, found_by_index_and_by_every_name) {
  const IfIndex index = link("rl0").index;
  ASSERT_OK(add_alt_name(socket(), index, kLongName));
  ASSERT_OK(add_alt_name(socket(), index, "short0"));
  EXPECT_EQ(link(kLongName).index, index);
  EXPECT_EQ(link("short0").index, index);
  auto by_index = find_link(socket(), index);
  ASSERT_OK(by_index);
  ASSERT_TRUE(by_index->has_value());
  EXPECT_THAT((*by_index)->alt_names, ElementsAre(kLongName, "short0"));
}

TEST_F(LinkTest, alternative_names_are_removed_once_and_again) {
  const IfIndex index = link("rl0").index;
  ASSERT_OK(add_alt_name(socket(), index, kLongName));
  EXPECT_ERROR(add_alt_name(socket(), link("rl1").index, kLongName), Code::kAlreadyExists);
  ASSERT_OK(remove_alt_name(socket(), index, kLongName));
  EXPECT_OK(remove_alt_name(socket(), index, kLongName));
  EXPECT_THAT(link("rl0").alt_names, IsEmpty());
}

TEST_F(LinkTest, what_is_not_there_is_absent) {
  const std::string longest(127, 'x');
  const std::string too_long(128, 'x');
  for (const std::string& name : {std::string("nosuch"), std::string(), longest, too_long}) {
    auto found = find_link(socket(), name);
    ASSERT_OK(found);
    EXPECT_EQ(*found, std::nullopt) << name;
  }
  for (const int index : {0, -1, 4711}) {
    auto found = find_link(socket(), IfIndex{index});
    ASSERT_OK(found);
    EXPECT_EQ(*found, std::nullopt) << index;
  }
}

TEST_F(LinkTest, changing_what_is_not_there_is_not_found) {
  auto gone = set_link(socket(), IfIndex{4711}, {.up = true});
  EXPECT_ERROR(gone, Code::kNotFound);
  EXPECT_THAT(gone.error().message, HasSubstr("RTM_SETLINK ifindex 4711: "));
}

TEST_F(LinkTest, removed_once_and_again) {
  const IfIndex index = link("rl0").index;
  ASSERT_OK(remove_link(socket(), index));
  EXPECT_OK(remove_link(socket(), index));
  auto peer = find_link(socket(), "rl1");
  ASSERT_OK(peer);
  EXPECT_EQ(*peer, std::nullopt);
}

TEST_F(LinkTest, adding_what_is_there_is_already_exists) {
  auto twice = add_link(socket(), VethSpec{.name = "rl0", .peer = "rl9"});
  EXPECT_ERROR(twice, Code::kAlreadyExists);
  EXPECT_THAT(twice.error().message, HasSubstr("rl0"));
}

TEST_F(LinkTest, dump_lists_all_of_them) {
  auto links = dump_links(socket());
  ASSERT_OK(links);
  std::vector<std::string> names;
  for (const Link& one : *links) {
    names.push_back(one.name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("lo", "rl0", "rl1"));
}

TEST_F(LinkTest, settings_of_a_vf_that_is_not_there_name_link_vf_and_field) {
  auto refused =
      set_vf(socket(), link("rl0").index, {.vf = 3, .vlan = VfChange::Vlan{.vlan = 100, .qos = 3}});
  EXPECT_ERROR(refused, Code::kUnsupported);
  EXPECT_THAT(refused.error().message, HasSubstr("RTM_NEWLINK rl0 vf 3 vlan: "));
}

TEST_F(LinkTest, macvlan_sits_on_its_lower) {
  auto added = add_link(socket(), MacvlanSpec{.name = "mv0", .lower = link("rl0").index});
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "macvlan");
  ASSERT_OK(added);
  EXPECT_EQ(link("mv0").kind, "macvlan");
  EXPECT_EQ(link("mv0").lower, link("rl0").index);
}

TEST_F(LinkTest, vlan_sits_on_its_lower) {
  auto added =
      add_link(socket(), VlanSpec{.name = "rl0.100", .lower = link("rl0").index, .id = 100});
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "vlan devices");
  ASSERT_OK(added);
  EXPECT_EQ(link("rl0.100").kind, "vlan");
  EXPECT_EQ(link("rl0.100").lower, link("rl0").index);
}

TEST_F(LinkTest, vrf_takes_slaves) {
  auto added = add_link(socket(), VrfSpec{.name = "vrf0", .table = 1000});
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "vrf");
  ASSERT_OK(added);
  set("rl0", {.master = link("vrf0").index});
  EXPECT_EQ(link("rl0").master, link("vrf0").index);
}

TEST_F(LinkTest, dummy) {
  auto added = add_link(socket(), DummySpec{.name = "dm0"});
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "dummy devices");
  ASSERT_OK(added);
  EXPECT_EQ(link("dm0").kind, "dummy");
}

}  // namespace
}  // namespace rocelane::netlink
