// SPDX-License-Identifier: Apache-2.0
#include "lib/netlink/route.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "lib/netlink/address.h"
#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::Contains;
using testing::Not;

IpPrefix prefix(const char* text) { return IpPrefix::parse(text).value(); }
IpAddress address(const char* text) { return IpAddress::parse(text).value(); }

class RouteTest : public test::NetNsTest {
 protected:
  void SetUp() override {
    NetNsTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
    index_ = link("rl0").index;
    ASSERT_OK(set_link(socket(), index_, {.up = true}));
    ASSERT_OK(set_link(socket(), link("rl1").index, {.up = true}));
    ASSERT_OK(add_address(socket(), {.index = index_, .prefix = prefix("10.56.0.5/24")}));
  }

  void add_v6_address() {
    auto added = add_address(
        socket(), {.index = index_, .prefix = prefix("fd00:56::5/64"), .flags = IFA_F_NODAD});
    ROCELANE_SKIP_IF_UNSUPPORTED(added, "IPv6");
    ASSERT_OK(added);
  }

  std::vector<Route> routes() {
    auto all = dump_routes(socket());
    EXPECT_OK(all);
    return all.ok() ? *all : std::vector<Route>();
  }

  std::vector<Rule> rules() {
    auto all = dump_rules(socket());
    EXPECT_OK(all);
    return all.ok() ? *all : std::vector<Rule>();
  }

  IfIndex index_;
};

TEST_F(RouteTest, every_field_is_read_back) {
  const Route route{.destination = prefix("10.57.0.0/16"),
                    .gateway = address("10.56.0.1"),
                    .out = index_,
                    .table = 1000,
                    .mtu = 4200,
                    .advmss = 4000,
                    .priority = 7,
                    .preferred_source = address("10.56.0.5")};
  ASSERT_OK(add_route(socket(), route));
  EXPECT_THAT(routes(), Contains(route));
}

TEST_F(RouteTest, without_a_gateway_it_is_on_the_link) {
  Route route{.destination = prefix("10.58.0.0/16"), .out = index_, .table = 100};
  ASSERT_OK(add_route(socket(), route));
  route.scope = RT_SCOPE_LINK;
  EXPECT_THAT(routes(), Contains(route));
  EXPECT_OK(remove_route(socket(), route));
}

TEST_F(RouteTest, v4_default) {
  const Route route{
      .destination = prefix("0.0.0.0/0"), .gateway = address("10.56.0.1"), .out = index_};
  ASSERT_OK(add_route(socket(), route));
  EXPECT_THAT(routes(), Contains(route));
}

TEST_F(RouteTest, v6_default_in_a_table_of_its_own) {
  add_v6_address();
  if (IsSkipped()) {
    return;
  }
  const Route route{.destination = prefix("::/0"),
                    .gateway = address("fd00:56::1"),
                    .out = index_,
                    .table = 1000,
                    .priority = 5};
  ASSERT_OK(add_route(socket(), route));
  EXPECT_THAT(routes(), Contains(route));
  ASSERT_OK(remove_route(socket(), route));
  EXPECT_THAT(routes(), Not(Contains(route)));
  EXPECT_OK(remove_route(socket(), route));
}

TEST_F(RouteTest, v4_through_a_v6_gateway) {
  add_v6_address();
  if (IsSkipped()) {
    return;
  }
  const Route route{
      .destination = prefix("10.59.0.0/16"), .gateway = address("fd00:56::1"), .out = index_};
  ASSERT_OK(add_route(socket(), route));
  EXPECT_THAT(routes(), Contains(route));
}

TEST_F(RouteTest, dump_has_all_tables_and_both_families) {
  const auto all = routes();
  const auto has = [&](bool v6, std::uint32_t table) {
    return std::any_of(all.begin(), all.end(), [&](const Route& route) {
      return route.destination.address.v6 == v6 && route.table == table;
    });
  };
  EXPECT_TRUE(has(false, RT_TABLE_MAIN));
  EXPECT_TRUE(has(false, RT_TABLE_LOCAL));
}

TEST_F(RouteTest, adding_it_again_is_already_exists) {
  const Route route{
      .destination = prefix("10.57.0.0/16"), .gateway = address("10.56.0.1"), .out = index_};
  ASSERT_OK(add_route(socket(), route));
  EXPECT_ERROR(add_route(socket(), route), Code::kAlreadyExists);
}

TEST_F(RouteTest, removed_once_and_again) {
  const Route route{
      .destination = prefix("10.57.0.0/16"), .gateway = address("10.56.0.1"), .out = index_};
  ASSERT_OK(add_route(socket(), route));
  ASSERT_OK(remove_route(socket(), route));
  EXPECT_THAT(routes(), Not(Contains(route)));
  EXPECT_OK(remove_route(socket(), route));
}

TEST_F(RouteTest, gateway_nobody_can_reach_is_refused_in_the_kernels_words) {
  auto refused = add_route(
      socket(),
      {.destination = prefix("10.57.0.0/16"), .gateway = address("192.0.2.1"), .out = index_});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sys_errno, ENETUNREACH);
  EXPECT_EQ(refused.error().message,
            "RTM_NEWROUTE 10.57.0.0/16 table 254: Nexthop has invalid gateway: "
            "Network is unreachable");
}

TEST_F(RouteTest, rules_are_read_back) {
  const Rule rule{.source = prefix("10.56.0.5/32"), .table = 1000, .priority = 100};
  auto added = add_rule(socket(), rule);
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "routing rules");
  ASSERT_OK(added);
  EXPECT_THAT(rules(), Contains(rule));
  EXPECT_ERROR(add_rule(socket(), rule), Code::kAlreadyExists);
  ASSERT_OK(remove_rule(socket(), rule));
  EXPECT_THAT(rules(), Not(Contains(rule)));
  EXPECT_OK(remove_rule(socket(), rule));
}

TEST_F(RouteTest, v6_rules_are_read_back) {
  const Rule rule{.source = prefix("fd00:56::5/128"), .table = 100, .priority = 101, .v6 = true};
  auto added = add_rule(socket(), rule);
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "IPv6 routing rules");
  ASSERT_OK(added);
  EXPECT_THAT(rules(), Contains(rule));
}

TEST_F(RouteTest, rule_without_a_priority_gets_one) {
  auto added = add_rule(socket(), {.source = prefix("10.56.0.0/24"), .table = 100});
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "routing rules");
  ASSERT_OK(added);
  constexpr std::uint32_t kJustAboveMain = 32765;  // main has 32766
  EXPECT_THAT(
      rules(),
      Contains(Rule{.source = prefix("10.56.0.0/24"), .table = 100, .priority = kJustAboveMain}));
}

TEST_F(RouteTest, the_rules_of_a_fresh_netns_are_listed) {
  const auto all = rules();
  EXPECT_THAT(all, Contains(Rule{.table = RT_TABLE_LOCAL}));
  EXPECT_THAT(all, Contains(Rule{.table = RT_TABLE_MAIN, .priority = 32766}));
}

}  // namespace
}  // namespace rocelane::netlink
