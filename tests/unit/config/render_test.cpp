// SPDX-License-Identifier: Apache-2.0
#include "lib/config/render.h"

#include "lib/config/config.h"
#include "tests/support/result_matchers.h"
#include "tests/support/sample_config.h"

namespace rocelane::config {
namespace {

using testing::HasSubstr;

IpPrefix prefix(std::string_view text) { return IpPrefix::parse(text).value_or({}); }

std::string block(std::string_view subnet, std::uint8_t size, std::uint64_t number) {
  const auto found = block_of(prefix(subnet), size, number);
  return found.ok() ? found->first.to_string() + "-" + found->last.to_string()
                    : found.error().message;
}

Config rendered(std::string_view text, const Node& node,
                const std::map<std::string, std::uint64_t>& blocks) {
  const auto out = render_config(text, node, blocks);
  EXPECT_OK(out);
  auto config = parse_config(out.ok() ? *out : "{}");
  EXPECT_OK(config);
  return config.ok() ? std::move(*config) : Config{};
}

constexpr std::string_view kOneNetwork =
    R"({"resourceList":[{"resourceName":"roce","network":"n"}],
        "networks":[{"name":"n","ipam":{"type":"host-local","subnet":"10.56.0.0/24"}}]})";

TEST(Block, cuts_ipv4_subnets) {
  EXPECT_EQ(block("10.56.0.0/16", 28, 0), "10.56.0.0-10.56.0.15");
  EXPECT_EQ(block("10.56.0.0/16", 28, 17), "10.56.1.16-10.56.1.31");
  EXPECT_EQ(block("10.56.0.0/16", 28, 4095), "10.56.255.240-10.56.255.255");
  EXPECT_EQ(block("10.56.0.0/16", 32, 65535), "10.56.255.255-10.56.255.255");
  EXPECT_EQ(block("0.0.0.0/0", 1, 1), "128.0.0.0-255.255.255.255");
  EXPECT_EQ(block("10.56.0.0/24", 24, 0), "10.56.0.0-10.56.0.255");
}

TEST(Block, cuts_ipv6_subnets) {
  EXPECT_EQ(block("fd00:56::/64", 124, 2), "fd00:56::20-fd00:56::2f");
  EXPECT_EQ(block("fd00:56::/32", 128, ~std::uint64_t{0} - 1),
            "fd00:56::ffff:ffff:ffff:fffe-fd00:56::ffff:ffff:ffff:fffe");
}

TEST(Block, beyond_the_subnet_is_an_error) {
  EXPECT_ERROR(block_of(prefix("10.56.0.0/16"), 28, 4096), Code::kInvalidInput);
  EXPECT_ERROR(block_of(prefix("10.56.0.0/16"), 15, 0), Code::kInvalidInput);
  EXPECT_ERROR(block_of(prefix("10.56.0.0/16"), 33, 0), Code::kInvalidInput);
}

TEST(Block, count_is_bounded_for_huge_subnets) {
  EXPECT_EQ(*block_count(prefix("10.56.0.0/16"), 28), 4096U);
  EXPECT_EQ(*block_count(prefix("fd00::/8"), 124), ~std::uint64_t{0});
}

TEST(Render, writes_this_nodes_block) {
  const auto config = rendered(kOneNetwork, {.name = "a"}, {{"n", 3}});
  EXPECT_THAT(config.networks[0].ipam->raw, HasSubstr(R"("rangeEnd":"10.56.0.63")"));
  EXPECT_THAT(config.networks[0].ipam->raw, HasSubstr(R"("rangeStart":"10.56.0.48")"));
}

TEST(Render, leaves_out_network_and_broadcast_address) {
  const auto first = rendered(kOneNetwork, {.name = "a"}, {{"n", 0}});
  EXPECT_EQ(first.networks[0].ipam->range->range_start->to_string(), "10.56.0.1");
  const auto last = rendered(kOneNetwork, {.name = "a"}, {{"n", 15}});
  EXPECT_EQ(last.networks[0].ipam->range->range_end->to_string(), "10.56.0.254");
}

TEST(Render, given_range_limits_the_block) {
  const auto config = rendered(test::kSampleConfig, {.name = "a"}, {{"train", 0}, {"six", 0}});
  EXPECT_EQ(config.find_network("train")->ipam->range->range_start->to_string(), "10.56.0.10");
  EXPECT_EQ(config.find_network("train")->ipam->range->range_end->to_string(), "10.56.0.15");
  EXPECT_EQ(config.find_network("six")->ipam->range->range_start->to_string(), "fd00:56::1");
  EXPECT_EQ(config.find_network("six")->ipam->range->range_end->to_string(), "fd00:56::f");
}

TEST(Render, keeps_the_entries_of_this_node) {
  const Node gpu{.name = "a", .labels = {{"gpu", "h100"}, {"zone", "x"}}};
  const auto here = rendered(test::kSampleConfig, gpu, {{"train", 1}, {"six", 1}});
  EXPECT_NE(here.find_pool("rdma/roce"), nullptr);
  EXPECT_EQ(here.ports.size(), 1U);
  EXPECT_TRUE(here.ports[0].node_selector.empty());
  const Node other{.name = "b", .labels = {{"gpu", "a100"}}};
  const auto there = rendered(test::kSampleConfig, other, {{"train", 1}, {"six", 1}});
  EXPECT_EQ(there.find_pool("rdma/roce"), nullptr);
  EXPECT_NE(there.find_pool("rdma/soft"), nullptr);
  EXPECT_TRUE(there.ports.empty());
}

TEST(Render, rendered_once_or_twice_is_the_same_text) {
  const Node node{.name = "a", .labels = {{"gpu", "h100"}}};
  const std::map<std::string, std::uint64_t> blocks{{"train", 1}, {"six", 1}};
  const auto once = render_config(test::kSampleConfig, node, blocks);
  ASSERT_OK(once);
  const auto twice = render_config(*once, node, blocks);
  ASSERT_OK(twice);
  EXPECT_EQ(*once, *twice);
}

TEST(Render, used_network_without_a_block_is_an_error) {
  const auto out = render_config(kOneNetwork, {.name = "a"}, {});
  EXPECT_ERROR(out, Code::kInvalidInput);
  EXPECT_THAT(out.error().message, HasSubstr("network n has no address block on this node"));
}

TEST(Render, unused_network_without_a_block_does_not_reach_the_node) {
  const auto config = rendered(test::kSampleConfig, {.name = "b"}, {{"train", 1}});
  EXPECT_EQ(config.find_network("six"), nullptr);
  EXPECT_NE(config.find_network("own"), nullptr);
}

TEST(Render, block_without_usable_address_is_an_error) {
  constexpr std::string_view kText = R"({"networks":[{"name":"n","ipam":
      {"type":"host-local","subnet":"10.56.0.0/24","blockSize":32}}]})";
  EXPECT_ERROR(render_config(kText, {.name = "a"}, {{"n", 0}}), Code::kInvalidInput);
  EXPECT_ERROR(render_config(kText, {.name = "a"}, {{"n", 255}}), Code::kInvalidInput);
  EXPECT_OK(render_config(kText, {.name = "a"}, {{"n", 1}}));
}

TEST(Render, two_entries_of_one_name_on_one_node_are_an_error) {
  constexpr std::string_view kText = R"({"resourceList":[
      {"resourceName":"roce","nodeSelector":{"a":"1"}},
      {"resourceName":"roce","nodeSelector":{"b":"1"}}]})";
  EXPECT_OK(render_config(kText, {.name = "x", .labels = {{"a", "1"}}}, {}));
  const auto out = render_config(kText, {.name = "x", .labels = {{"a", "1"}, {"b", "1"}}}, {});
  EXPECT_ERROR(out, Code::kInvalidInput);
  EXPECT_THAT(out.error().message, HasSubstr("node x"));
}

TEST(Render, bad_document_is_refused) {
  EXPECT_ERROR(render_config("{", {.name = "a"}, {}), Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::config
