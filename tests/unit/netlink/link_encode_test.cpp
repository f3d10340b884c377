// SPDX-License-Identifier: Apache-2.0
// Requests about links against the bytes ip(8) of iproute2 6.1 sends (sequence number zero).
#include <linux/netlink.h>

#include "lib/netlink/link.h"
#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

// As it goes out: with what Socket::acknowledge() adds.
std::vector<std::uint8_t> sent(const Message& message) {
  auto all = message.bytes();
  all[6] |= NLM_F_REQUEST | NLM_F_ACK;
  return all;
}

constexpr IfIndex kLo{1};

// ip link set lo vf 3 vlan 100 qos 3
TEST(EncodeSetVf, vf_vlan_and_qos_as_ip_does) {
  EXPECT_EQ(sent(encode_set_vf(kLo, {.vf = 3, .vlan = VfChange::Vlan{.vlan = 100, .qos = 3}})),
            bytes("38000000100005000000000000000000000000000100000000000000000000001800160014000100"
                  "10000200030000006400000003000000"));
}

// ip link set lo vf 3 vlan 100 qos 3 proto 802.1ad
TEST(EncodeSetVf, vf_vlan_with_another_protocol_as_ip_does) {
  EXPECT_EQ(sent(encode_set_vf(
                kLo, {.vf = 3, .vlan = VfChange::Vlan{.vlan = 100, .qos = 3, .proto = 0x88a8}})),
            bytes("4000000010000500000000000000000000000000010000000000000000000000200016001c000100"
                  "18000c001400010003000000640000000300000088a80000"));
}

// ip link set lo vf 1 mac 02:00:5e:10:00:01
TEST(EncodeSetVf, vf_mac_as_ip_does) {
  EXPECT_EQ(
      sent(encode_set_vf(kLo, {.vf = 1, .mac = *MacAddress::parse("02:00:5e:10:00:01")})),
      bytes("5000000010000500000000000000000000000000010000000000000000000000300016002c000100"
            "280001000100000002005e1000010000000000000000000000000000000000000000000000000000"));
}

// ip link set lo vf 2 spoofchk off
TEST(EncodeSetVf, vf_spoofchk_as_ip_does) {
  EXPECT_EQ(sent(encode_set_vf(kLo, {.vf = 2, .spoofchk = false})),
            bytes("34000000100005000000000000000000000000000100000000000000000000001400160010000100"
                  "0c0004000200000000000000"));
}

// ip link set lo vf 2 trust on
TEST(EncodeSetVf, vf_trust_as_ip_does) {
  EXPECT_EQ(sent(encode_set_vf(kLo, {.vf = 2, .trust = true})),
            bytes("34000000100005000000000000000000000000000100000000000000000000001400160010000100"
                  "0c0009000200000001000000"));
}

// ip link set lo vf 2 state disable
TEST(EncodeSetVf, vf_state_as_ip_does) {
  EXPECT_EQ(sent(encode_set_vf(kLo, {.vf = 2, .link_state = VfLinkState::kDisable})),
            bytes("34000000100005000000000000000000000000000100000000000000000000001400160010000100"
                  "0c0005000200000002000000"));
}

// ip link set lo vf 2 max_tx_rate 200 min_tx_rate 50
TEST(EncodeSetVf, vf_rates_as_ip_does) {
  EXPECT_EQ(
      sent(encode_set_vf(kLo, {.vf = 2, .rate = VfChange::Rate{.min_mbit = 50, .max_mbit = 200}})),
      bytes("38000000100005000000000000000000000000000100000000000000000000001800160014000100"
            "100006000200000032000000c8000000"));
}

// ip(8) orders these attributes differently and leaves out the zero after the kind; that kernels
// take them is seen in tests/netns.
TEST(EncodeAddLink, puts_lower_and_data_of_the_kind) {
  EXPECT_EQ(encode_add_link(VlanSpec{.name = "lo.7", .lower = kLo, .id = 7}).bytes(),
            bytes("50000000 1000 0006 00000000 00000000 00000000 00000000 00000000 00000000"
                  "09000300 6c6f2e3700000000 08000500 01000000"
                  "1c001200 09000100 766c616e00000000 0c000200 06000100 07000000"));
}

TEST(EncodeSetLink, puts_netns_index_and_name) {
  // Header: ifindex 3, no flags; IFLA_NET_NS_FD 9, IFLA_NEW_IFINDEX 77, IFLA_IFNAME roce0.
  EXPECT_EQ(encode_set_link(IfIndex{3}, {.name = "roce0", .netns_fd = 9, .new_index = IfIndex{77}})
                .bytes(),
            bytes("3c0000001300000000000000000000000000000003000000000000000000000008001c0009000000"
                  "080031004d0000000a000300726f636530000000"));
}

TEST(EncodeSetLink, changes_only_the_flag_it_is_asked_for) {
  const auto up = encode_set_link(kLo, {.up = true}).bytes();
  const auto down = encode_set_link(kLo, {.up = false}).bytes();
  const auto neither = encode_set_link(kLo, {.mtu = 9000}).bytes();
  const auto flags_of = [](const std::vector<std::uint8_t>& all) {
    return std::vector<std::uint8_t>(all.begin() + 24, all.begin() + 32);
  };
  EXPECT_EQ(flags_of(up), bytes("0100000001000000"));
  EXPECT_EQ(flags_of(down), bytes("0000000001000000"));
  EXPECT_EQ(flags_of(neither), bytes("0000000000000000"));
}

TEST(EncodeSetVf, absent_fields_are_not_sent) {
  EXPECT_EQ(encode_set_vf(kLo, {.vf = 3}).bytes().size(), 16U + 16U + 4U + 4U);
}

}  // namespace
}  // namespace rocelane::netlink
