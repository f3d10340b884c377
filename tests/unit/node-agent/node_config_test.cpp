// SPDX-License-Identifier: Apache-2.0
#include "node-agent/node_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::agent {
namespace {

using testing::HasSubstr;

constexpr const char* kConfig = R"({
  "resourceList":[{"resourcePrefix":"rdma","resourceName":"roce","type":"softRoce","network":"train",
                   "selectors":[{"pfNames":["ens1f0"]}]}],
  "networks":[{"name":"train","vlan":100,
               "ipam":{"type":"host-local","subnet":"10.56.0.0/16","blockSize":28}}],
  "fabric":{"ports":[{"pfNames":["ens1f0"],"numVfs":4,"mtu":4200}]}})";

config::Config parse(const std::string& text) {
  auto config = config::parse_config(text);
  ROCELANE_CHECK(config.ok());
  return *config;
}

config::Config with_ipam(const std::string& ipam) {
  return parse(R"({"networks":[{"name":"train","ipam":)" + ipam + "}]}");
}

std::uint64_t chosen(const config::Config& config, std::string_view node,
                     const state::Blocks& kept = {}) {
  auto blocks = choose_blocks(config, node, kept);
  EXPECT_OK(blocks);
  return blocks.ok() ? blocks->at("train") : 0;
}

TEST(ChooseBlocks, is_stable_inside_the_subnet_and_differs_between_nodes) {
  const auto config = parse(kConfig);
  EXPECT_EQ(chosen(config, "node0"), chosen(config, "node0"));
  EXPECT_NE(chosen(config, "node0"), chosen(config, "node1"));
  EXPECT_LT(chosen(config, "node0"), 4096U);
}

TEST(ChooseBlocks, number_once_chosen_is_kept) {
  const auto config = parse(kConfig);
  EXPECT_EQ(chosen(config, "node0", {{"train", 7}}), 7U);
}

TEST(ChooseBlocks, number_that_the_subnet_no_longer_has_is_chosen_again) {
  const auto config = with_ipam(R"({"type":"host-local","subnet":"10.56.0.0/24","blockSize":28})");
  EXPECT_LT(chosen(config, "node0", {{"train", 700}}), 16U);
}

TEST(ChooseBlocks, range_limits_the_choice) {
  const auto config = with_ipam(R"({"type":"host-local","subnet":"10.56.0.0/16","blockSize":28,)"
                                R"("rangeStart":"10.56.1.0","rangeEnd":"10.56.1.31"})");
  for (const char* node : {"a", "b", "c", "d", "e", "f"}) {
    EXPECT_THAT(chosen(config, node), testing::AnyOf(16U, 17U)) << node;
  }
}

TEST(ChooseBlocks, delegate_of_another_type_needs_none) {
  const auto blocks = choose_blocks(with_ipam(R"({"type":"whereabouts"})"), "node0", {});
  ASSERT_OK(blocks);
  EXPECT_TRUE(blocks->empty());
}

class NodeConfigTest : public testing::Test {
 protected:
  void source_is(std::string_view text) {
    ASSERT_OK(write_file_atomic(dir_ / "config.json", text, Durability::kRename));
  }
  void SetUp() override { ASSERT_OK(make_directories(dir_ / "state")); }

  test::TempDir dir_;
  NodeConfig config_{dir_ / "config.json", dir_ / "state", {"node0", {}}};
};

TEST_F(NodeConfigTest, good_configuration_is_rendered_with_this_nodes_block) {
  source_is(kConfig);
  const auto changed = config_.refresh();
  ASSERT_OK(changed);
  EXPECT_TRUE(*changed);
  const auto rendered = config::load_config(dir_ / "state/config.json");
  ASSERT_OK(rendered);
  EXPECT_TRUE(rendered->networks.at(0).ipam->range->range_start.has_value());
  EXPECT_EQ(config_.current(), *rendered);
  EXPECT_EQ(config_.current().ports.at(0).num_vfs, 4U);

  const auto again = config_.refresh();
  ASSERT_OK(again);
  EXPECT_FALSE(*again);
}

TEST_F(NodeConfigTest, bad_configuration_changes_nothing_and_says_where) {
  source_is(kConfig);
  ASSERT_OK(config_.refresh());
  const auto good = config_.current();
  const auto rendered = *read_file(dir_ / "state/config.json");

  source_is(R"({"resourceList":[],"netwroks":[]})");
  const auto refused = config_.refresh();
  ASSERT_TRUE(test::has_error(refused, Code::kInvalidInput));
  EXPECT_THAT(refused.error().message, HasSubstr("netwroks"));
  EXPECT_THAT(refused.error().message, HasSubstr(dir_ / "config.json"));
  EXPECT_EQ(config_.current(), good);
  EXPECT_EQ(*read_file(dir_ / "state/config.json"), rendered);
}

TEST_F(NodeConfigTest, last_good_one_of_an_earlier_run_is_in_force_at_start) {
  source_is(kConfig);
  ASSERT_OK(config_.refresh());
  source_is("{");
  NodeConfig next(dir_ / "config.json", dir_ / "state", {"node0", {}});
  next.start_from_disk();
  EXPECT_ERROR(next.refresh(), Code::kInvalidInput);
  EXPECT_EQ(next.current(), config_.current());
}

TEST_F(NodeConfigTest, block_survives_a_restart_and_a_damaged_file_is_chosen_again) {
  source_is(kConfig);
  ASSERT_OK(state::save_blocks(dir_ / "state", {{"train", 5}}));
  ASSERT_OK(config_.refresh());
  EXPECT_EQ(config_.current().networks.at(0).ipam->range->range_start->to_string(), "10.56.0.80");

  ASSERT_OK(write_file_atomic(dir_ / "state/blocks.json", "{\"ver", Durability::kRename));
  EXPECT_OK(config_.refresh());
  EXPECT_OK(state::load_blocks(dir_ / "state"));
}

TEST_F(NodeConfigTest, missing_source_is_an_error_that_names_it) {
  const auto missing = config_.refresh();
  ASSERT_TRUE(test::has_error(missing, Code::kNotFound));
  EXPECT_THAT(missing.error().message, HasSubstr(dir_ / "config.json"));
}

}  // namespace
}  // namespace rocelane::agent
