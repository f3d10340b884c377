// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/frame.h"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/ethernet_frame.h"

namespace rocelane::lab {
namespace {

using test::ethernet;
using test::FrameBytes;
using test::ipv4;
using test::ipv4_udp;
using test::ipv6;
using test::kProtocolUdp;
using test::station;
using test::udp;

constexpr std::uint16_t kRoce = 4791;
constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kRouting = 43;
constexpr std::uint8_t kFragment = 44;
constexpr UdpPorts kRocePorts{.source = 0xc000, .destination = kRoce};

FrameBytes joined(FrameBytes first, const FrameBytes& second) {
  test::append(first, second);
  return first;
}

TEST(Frame, reads_addresses_and_type_without_a_tag) {
  const auto bytes =
      ethernet({.destination = station(2), .source = station(3)}, test::text("payload"));
  const auto headers = parse_frame(bytes);
  ASSERT_TRUE(headers);
  EXPECT_EQ(*headers, (FrameHeaders{.destination = station(2),
                                    .source = station(3),
                                    .ethertype = test::kEtherExperimental,
                                    .payload_offset = 14}));
  EXPECT_EQ(headers->vlan(), 0);
}

TEST(Frame, reads_udp_behind_no_one_and_two_tags) {
  const std::vector<std::vector<std::uint16_t>> stacks{{}, {0xe064}, {200, 100}};
  for (const auto& vlans : stacks) {
    const auto headers = parse_frame(ethernet({.vlans = vlans}, ipv4_udp(kRoce, "x")));
    ASSERT_TRUE(headers);
    EXPECT_EQ(headers->tags, vlans.size());
    EXPECT_EQ(headers->vlan(), vlans.empty() ? 0 : vlans[0] & 0xfff);
    EXPECT_EQ(headers->ethertype, test::kEtherIpv4);
    EXPECT_EQ(headers->payload_offset, 14 + 4 * vlans.size());
    EXPECT_EQ(headers->ip_protocol, kProtocolUdp);
    EXPECT_EQ(headers->udp, kRocePorts);
  }
}

TEST(Frame, leaves_a_third_tag_alone) {
  const auto headers = parse_frame(ethernet({.vlans = {1, 2, 3}}, ipv4_udp(kRoce, "x")));
  ASSERT_TRUE(headers);
  EXPECT_EQ(headers->tags, 2U);
  EXPECT_EQ(headers->ethertype, test::kTagVlan);
  EXPECT_EQ(headers->ip_protocol, std::nullopt);
}

TEST(Frame, skips_ipv4_options) {
  const auto headers = parse_frame(ethernet({}, ipv4(kProtocolUdp, udp(kRoce, ""), FrameBytes(8))));
  ASSERT_TRUE(headers);
  EXPECT_EQ(headers->udp, kRocePorts);
}

TEST(Frame, sees_no_ports_in_a_later_fragment) {
  const auto four = parse_frame(ethernet({}, ipv4(kProtocolUdp, udp(kRoce, "x"), {}, 185)));
  ASSERT_TRUE(four);
  EXPECT_EQ(four->ip_protocol, kProtocolUdp);
  EXPECT_EQ(four->udp, std::nullopt);
  const FrameBytes later{kProtocolUdp, 0, 0x05, 0xc8, 0, 0, 0, 1};
  const auto six = parse_frame(ethernet({}, ipv6(kFragment, joined(later, udp(kRoce, "x")))));
  ASSERT_TRUE(six);
  EXPECT_EQ(six->ip_protocol, kProtocolUdp);
  EXPECT_EQ(six->udp, std::nullopt);
}

TEST(Frame, walks_ipv6_extension_headers) {
  const FrameBytes hop{kRouting, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const FrameBytes routing{kFragment, 0, 0, 0, 0, 0, 0, 0};
  const FrameBytes first{kProtocolUdp, 0, 0x00, 0x01, 0, 0, 0, 1};
  const auto chain = joined(joined(joined(hop, routing), first), udp(kRoce, "x"));
  const auto headers = parse_frame(ethernet({}, ipv6(kHopByHop, chain)));
  ASSERT_TRUE(headers);
  EXPECT_EQ(headers->ip_protocol, kProtocolUdp);
  EXPECT_EQ(headers->udp, kRocePorts);
}

TEST(Frame, gives_up_on_an_endless_chain_of_extension_headers) {
  FrameBytes chain;
  for (int i = 0; i < 100; ++i) {
    chain = joined(chain, {kHopByHop, 0, 0, 0, 0, 0, 0, 0});
  }
  const auto headers = parse_frame(ethernet({}, ipv6(kHopByHop, chain)));
  ASSERT_TRUE(headers);
  EXPECT_EQ(headers->ip_protocol, std::nullopt);
}

TEST(Frame, does_not_believe_wrong_ip_versions_or_lengths) {
  auto frame = ethernet({}, ipv4_udp(kRoce, "x"));
  frame[14] = 0x65;
  EXPECT_EQ(parse_frame(frame)->ip_protocol, std::nullopt);
  frame[14] = 0x44;
  EXPECT_EQ(parse_frame(frame)->ip_protocol, std::nullopt);
}

// Each prefix lies in memory of exactly its size, so the address sanitizer sees any read behind it.
void parse_every_prefix(const FrameBytes& whole, std::size_t link_bytes, std::size_t ports_end) {
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    const FrameBytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    const auto headers = parse_frame(part);
    ASSERT_EQ(headers.has_value(), length >= link_bytes) << length;
    if (headers) {
      EXPECT_EQ(headers->udp.has_value(), length >= ports_end) << length;
    }
  }
}

TEST(Frame, survives_every_truncation) {
  parse_every_prefix(ethernet({}, ipv4_udp(kRoce, "abc")), 14, 14 + 20 + 4);
  parse_every_prefix(ethernet({.vlans = {100}}, ipv4_udp(kRoce, "abc")), 18, 18 + 20 + 4);
  parse_every_prefix(ethernet({.vlans = {7, 100}}, ipv4_udp(kRoce, "abc")), 22, 22 + 20 + 4);
  parse_every_prefix(ethernet({}, ipv4(kProtocolUdp, udp(kRoce, ""), FrameBytes(40))), 14,
                     14 + 60 + 4);
  const FrameBytes hop{kProtocolUdp, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  parse_every_prefix(ethernet({.vlans = {5}}, ipv6(kHopByHop, joined(hop, udp(kRoce, "abc")))), 18,
                     18 + 40 + 16 + 4);
}

TEST(Frame, corruption_flips_exactly_one_bit_behind_the_header) {
  const auto original = ethernet({.vlans = {100}}, ipv4_udp(kRoce, "content"));
  const auto headers = parse_frame(original);
  const std::size_t bits = (original.size() - headers->payload_offset) * 8;
  for (const std::uint64_t draw :
       {std::uint64_t{0}, std::uint64_t{bits - 1}, std::uint64_t{bits}, ~std::uint64_t{0}}) {
    auto changed = original;
    corrupt_payload(changed, *headers, draw);
    ASSERT_EQ(changed.size(), original.size());
    int flipped = 0;
    for (std::size_t i = 0; i < changed.size(); ++i) {
      const auto difference = static_cast<std::uint8_t>(changed[i] ^ original[i]);
      flipped += std::popcount(difference);
      EXPECT_TRUE(difference == 0 || i >= headers->payload_offset) << i;
    }
    EXPECT_EQ(flipped, 1) << draw;
  }
}

TEST(Frame, corruption_without_payload_changes_nothing) {
  const auto original = ethernet({}, test::text(""));
  auto changed = original;
  corrupt_payload(changed, *parse_frame(original), 5);
  EXPECT_EQ(changed, original);
}

}  // namespace
}  // namespace rocelane::lab
