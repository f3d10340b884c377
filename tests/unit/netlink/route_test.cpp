// SPDX-License-Identifier: Apache-2.0
#include "lib/netlink/route.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

IpPrefix prefix(const char* text) { return IpPrefix::parse(text).value(); }
IpAddress address(const char* text) { return IpAddress::parse(text).value(); }

const Route& full_route() {
  static const Route route{.destination = prefix("10.57.0.0/16"),
                           .gateway = address("10.56.0.1"),
                           .out = IfIndex{3},
                           .table = 1000,
                           .protocol = RTPROT_BOOT,
                           .mtu = 4200,
                           .advmss = 4000,
                           .priority = 7,
                           .preferred_source = address("10.56.0.5")};
  return route;
}

TEST(ParseRoute, every_field) {
  auto route = parse_route(bytes(frames::kRouteFull));
  ASSERT_OK(route);
  EXPECT_EQ(*route, full_route());
}

TEST(ParseRoute, v4_through_a_v6_gateway) {
  auto route = parse_route(bytes(frames::kRouteVia));
  ASSERT_OK(route);
  EXPECT_EQ(route->destination, prefix("10.58.0.0/16"));
  EXPECT_EQ(route->gateway, address("fd00:56::1"));
}

TEST(ParseRoute, v6_default) {
  auto route = parse_route(bytes(frames::kRouteV6Default));
  ASSERT_OK(route);
  EXPECT_EQ(*route, (Route{.destination = prefix("::/0"),
                           .gateway = address("fd00:56::1"),
                           .out = IfIndex{3},
                           .protocol = RTPROT_BOOT,
                           .priority = 5}));
}

TEST(ParseRoute, local_route) {
  auto route = parse_route(bytes(frames::kRouteLocal));
  ASSERT_OK(route);
  EXPECT_EQ(route->type, RTN_LOCAL);
  EXPECT_EQ(route->scope, RT_SCOPE_HOST);
  EXPECT_EQ(route->table, std::uint32_t{RT_TABLE_LOCAL});
}

TEST(ParseRoute, what_does_not_fit_together_is_refused) {
  for (const char* hex : {
           "02100000fe03000100000000 14000100 fd000000000000000000000000000001",  // v6 in v4
           "02210000fe03000100000000",                                            // /33
           "0a810000fe03000100000000",                                            // /129
           "02100000fe03000100000000 05001200 02000000",                          // RTA_VIA: 1 byte
           "02100000fe03000100000000 0b001200 0a00fd00560000 00",  // RTA_VIA: 5 bytes of address
           "02100000fe03000100000000 0c000800 07000200 68100000",  // RTAX_MTU: 3 bytes
           "02100000fe03000100000000 07000f00 e8030000"            // RTA_TABLE: 3 bytes
       }) {
    EXPECT_ERROR(parse_route(bytes(hex)), Code::kInvalidInput) << hex;
  }
}

// ip route add 10.57.0.0/16 via 10.56.0.1 dev IF3 table 1000 mtu 4200 advmss 4000 metric 7
//   src 10.56.0.5 (iproute2 6.1)
TEST(EncodeAddRoute, every_field_as_ip_does) {
  EXPECT_EQ(encode_add_route(full_route()).bytes(),
            bytes("60000000 1800 0006 00000000 00000000 02100000 00030001 00000000"
                  "08000100 0a390000 08000500 0a380001 08000f00 e8030000 08000600 07000000"
                  "08000700 0a380005 08000400 03000000"
                  "14000800 08000200 68100000 08000800 a00f0000"));
}

TEST(EncodeAddRoute, without_a_gateway_it_is_on_the_link) {
  const auto scope_of = [](const Route& route) { return encode_add_route(route).bytes()[22]; };
  EXPECT_EQ(scope_of({.destination = prefix("10.3.0.0/16"), .out = IfIndex{3}}), RT_SCOPE_LINK);
  EXPECT_EQ(scope_of({.destination = prefix("10.3.0.0/16"), .gateway = address("10.1.1.1")}),
            RT_SCOPE_UNIVERSE);
  EXPECT_EQ(scope_of({.destination = prefix("fd01::/64"), .out = IfIndex{3}}), RT_SCOPE_UNIVERSE);
}

TEST(EncodeAddRoute, host_bits_are_cleared) {
  const auto sent = encode_add_route({.destination = prefix("10.57.9.9/16"), .out = IfIndex{3}});
  EXPECT_EQ(sent.bytes(),
            encode_add_route({.destination = prefix("10.57.0.0/16"), .out = IfIndex{3}}).bytes());
}

TEST(EncodeAddRoute, other_family_gateway_as_ip_does) {
  // ip route add 10.4.0.0/16 via inet6 fd00::1 dev IF3
  const auto sent = encode_add_route({.destination = prefix("10.4.0.0/16"),
                                      .gateway = address("fd00::1"),
                                      .out = IfIndex{3},
                                      .protocol = RTPROT_BOOT})
                        .bytes();
  EXPECT_EQ(sent, bytes("44000000 1800 0006 00000000 00000000 02100000 fe030001 00000000"
                        "08000100 0a040000"
                        "16001200 0a00 fd000000000000000000000000000001 0000"
                        "08000400 03000000"));
}

TEST(ParseRule, v4_and_v6) {
  auto v4 = parse_rule(bytes(frames::kRuleV4));
  ASSERT_OK(v4);
  EXPECT_EQ(*v4, (Rule{.source = prefix("10.56.0.5/32"), .table = 1000, .priority = 100}));
  auto v6 = parse_rule(bytes(frames::kRuleV6));
  ASSERT_OK(v6);
  EXPECT_EQ(*v6,
            (Rule{.source = prefix("fd00:56::5/128"), .table = 101, .priority = 100, .v6 = true}));
}

TEST(ParseRule, from_all) {
  auto rule = parse_rule(bytes(frames::kRuleLocal));
  ASSERT_OK(rule);
  EXPECT_EQ(*rule, (Rule{.table = RT_TABLE_LOCAL}));
}

TEST(ParseRule, what_does_not_fit_together_is_refused) {
  EXPECT_ERROR(parse_rule(bytes("02002100fe00000100000000 08000200 0a380005")),
               Code::kInvalidInput);
  EXPECT_ERROR(parse_rule(bytes("0a002000fe00000100000000 08000200 0a380005")),
               Code::kInvalidInput);
  EXPECT_ERROR(parse_rule(bytes("02000000fe00000100000000 07000600 64000000")),
               Code::kInvalidInput);
}

// ip rule add from 10.1.1.5/32 table 100 pref 100 (iproute2 6.1)
TEST(EncodeAddRule, as_ip_does) {
  EXPECT_EQ(
      encode_add_rule({.source = prefix("10.1.1.5/32"), .table = 100, .priority = 100}).bytes(),
      bytes("2c000000 2000 0006 00000000 00000000 02002000 64000001 00000000"
            "08000200 0a010105 08000600 64000000"));
}

}  // namespace
}  // namespace rocelane::netlink
