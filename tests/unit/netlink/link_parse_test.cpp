// SPDX-License-Identifier: Apache-2.0
// parse_link() on messages of real kernels; malformed ones are in malformed_test.cpp.
#include <net/if.h>

#include "lib/netlink/link.h"
#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using testing::ElementsAre;

Link parse(std::string_view hex) {
  auto link = parse_link(frames::bytes(hex));
  EXPECT_OK(link);
  return link.ok() ? *link : Link{};
}

TEST(ParseLink, veth_with_alternative_names) {
  const Link link = parse(frames::kVethLink);
  EXPECT_EQ(link.index, IfIndex{3});
  EXPECT_EQ(link.name, "rl0");
  EXPECT_THAT(link.alt_names, ElementsAre("enp59s0f0np0v3-long-name", "short0"));
  EXPECT_EQ(link.mac.to_string(), "72:2a:d7:05:aa:46");
  EXPECT_EQ(link.mtu, 1500U);
  EXPECT_EQ(link.max_mtu, 65535U);
  EXPECT_EQ(link.type, 1);
  EXPECT_TRUE(link.up());
  EXPECT_TRUE(link.carrier);
  EXPECT_EQ(link.kind, "veth");
  EXPECT_EQ(link.lower, IfIndex{2});
  EXPECT_EQ(link.master, std::nullopt);
  EXPECT_EQ(link.permanent_mac, std::nullopt);
  EXPECT_EQ(link.parent_device, "");
}

TEST(ParseLink, bridge_port_names_its_master) {
  const Link link = parse(frames::kBridgePortLink);
  EXPECT_EQ(link.name, "rl1");
  EXPECT_EQ(link.master, IfIndex{4});
}

TEST(ParseLink, physical_function_names_its_pci_device) {
  const Link link = parse(frames::kPfLink);
  EXPECT_EQ(link.name, "enp1s0");
  EXPECT_EQ(link.kind, "");
  EXPECT_EQ(link.parent_bus, "pci");
  EXPECT_EQ(link.parent_device, "0000:01:00.0");
  EXPECT_EQ(link.permanent_mac, MacAddress::parse("52:54:00:12:34:56").value());
  EXPECT_THAT(link.alt_names, ElementsAre("enx525400123456", "fabric0-port"));
}

TEST(ParseLink, physical_function_lists_its_vfs) {
  const Link link = parse(frames::kPfLink);
  const VfInfo first{.vf = 0,
                     .mac = MacAddress::parse("02:00:5e:10:00:01").value(),
                     .vlan = 100,
                     .qos = 3,
                     .spoofchk = true,
                     .trust = false,
                     .link_state = VfLinkState::kAuto,
                     .min_tx_rate = 0,
                     .max_tx_rate = 0};
  const VfInfo second{.vf = 1,
                      .mac = MacAddress{},
                      .spoofchk = false,
                      .trust = true,
                      .link_state = VfLinkState::kAuto,
                      .min_tx_rate = 0,
                      .max_tx_rate = 200};
  EXPECT_THAT(link.vfs, ElementsAre(first, second));
}

// A PF whose driver fills nothing but VLAN: settings are all ones (igb fills them; bnxt_en and
// vendor drivers may not). IFLA_VFINFO_LIST { IFLA_VF_INFO { … } } of vf 5.
TEST(ParseLink, settings_the_driver_does_not_report_are_absent) {
  const Link link = parse(
      "00000100020000000000000000000000"
      "60001680 5c000180"
      "10000200 05000000 07000000 02000000"
      "18000c80 14000100 05000000 07000000 02000000 88a80000"
      "0c000400 05000000 ffffffff"
      "0c000900 05000000 ffffffff"
      "0c000500 05000000 ffffffff"
      "0c000300 05000000 0a000000");
  EXPECT_THAT(
      link.vfs,
      ElementsAre(VfInfo{.vf = 5, .vlan = 7, .qos = 2, .vlan_proto = 0x88a8, .max_tx_rate = 10}));
}

TEST(ParseLink, addresses_of_other_link_types_are_not_macs) {
  // ARPHRD_SIT (776) with a four byte address.
  const Link link = parse(
      "00000803020000000000000000000000"
      "08000100 0a000001");
  EXPECT_TRUE(link.mac.is_zero());
}

TEST(ParseLink, zero_master_and_lower_mean_none) {
  const Link link = parse(
      "00000100020000000000000000000000"
      "08000a00 00000000 08000500 00000000");
  EXPECT_EQ(link.master, std::nullopt);
  EXPECT_EQ(link.lower, std::nullopt);
}

}  // namespace
}  // namespace rocelane::netlink
