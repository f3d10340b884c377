// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/ethernet_frame.h"
#include "tests/support/result_matchers.h"

namespace rocelane::lab {
namespace {

using std::chrono::milliseconds;

constexpr Fault::TimePoint kStart{std::chrono::seconds(1)};

class FaultTableTest : public testing::Test {
 protected:
  Verdict decide(PortIndex port = {0}, Direction direction = Direction::kIn) {
    return table_.decide(port, direction, *parse_frame(frame_), frame_.size(), kStart);
  }
  std::vector<bool> drops(int frames) {
    std::vector<bool> out(static_cast<std::size_t>(frames));
    std::generate(out.begin(), out.end(), [this] { return decide().drop; });
    return out;
  }

  test::FrameBytes frame_ = test::ethernet({}, test::text("x"));
  FaultTable table_;
};

TEST_F(FaultTableTest, empty_lets_everything_pass_once) {
  const auto verdict = decide();
  EXPECT_FALSE(verdict.drop);
  EXPECT_EQ(verdict.copies, 1U);
  EXPECT_FALSE(verdict.corrupt);
  EXPECT_FALSE(verdict.due);
}

TEST_F(FaultTableTest, concerns_its_port_only) {
  ASSERT_OK(table_.add({.port = {1}}));
  EXPECT_FALSE(decide({0}).drop);
  EXPECT_TRUE(decide({1}).drop);
}

TEST_F(FaultTableTest, names_faults_and_refuses_a_name_in_use) {
  ASSERT_OK(table_.add({.id = "fault-1"}));
  const auto second = table_.add({});
  ASSERT_OK(second);
  EXPECT_EQ(*second, "fault-2");
  EXPECT_ERROR(table_.add({.id = "fault-2"}), Code::kAlreadyExists);
  EXPECT_EQ(table_.faults().size(), 2U);
}

TEST_F(FaultTableTest, removes_one_or_all) {
  ASSERT_OK(table_.add({.id = "a"}));
  ASSERT_OK(table_.add({.id = "b"}));
  EXPECT_ERROR(table_.remove("c"), Code::kNotFound);
  EXPECT_OK(table_.remove("a"));
  EXPECT_EQ(table_.faults().front().spec().id, "b");
  EXPECT_EQ(table_.remove_all(), 1U);
  EXPECT_FALSE(decide().drop);
}

TEST_F(FaultTableTest, combines_what_fires) {
  ASSERT_OK(table_.add({.action = FaultAction::kDuplicate}));
  ASSERT_OK(table_.add({.action = FaultAction::kCorrupt}));
  ASSERT_OK(table_.add({.action = FaultAction::kDelay, .delay = milliseconds(10)}));
  ASSERT_OK(table_.add({.action = FaultAction::kDelay, .delay = milliseconds(5)}));
  const auto verdict = decide();
  EXPECT_EQ(verdict.copies, 2U);
  EXPECT_TRUE(verdict.corrupt);
  EXPECT_EQ(verdict.due, kStart + milliseconds(15));
}

TEST_F(FaultTableTest, a_drop_hides_the_frame_from_later_faults) {
  ASSERT_OK(table_.add({.id = "drop", .count = 1}));
  ASSERT_OK(table_.add({.id = "later", .action = FaultAction::kDuplicate}));
  EXPECT_TRUE(decide().drop);
  EXPECT_EQ(table_.faults()[1].matched(), 0U);
  EXPECT_EQ(decide().copies, 2U);
}

TEST_F(FaultTableTest, the_seed_repeats_decisions_whether_set_before_or_after) {
  ASSERT_OK(table_.add({.id = "a", .probability = 0.5}));
  table_.seed(7);
  const auto after = drops(200);
  table_.remove_all();
  table_.seed(7);
  ASSERT_OK(table_.add({.id = "other name", .probability = 0.5}));
  EXPECT_EQ(drops(200), after);
  table_.seed(8);
  EXPECT_NE(drops(200), after);
}

TEST_F(FaultTableTest, other_traffic_does_not_change_decisions) {
  const auto run = [this](bool other_traffic) {
    table_.remove_all();
    table_.seed(7);
    ROCELANE_CHECK(table_.add({.port = {0}, .probability = 0.5}).ok());
    ROCELANE_CHECK(table_.add({.port = {1}, .probability = 0.5}).ok());
    std::vector<bool> out;
    for (int i = 0; i < 200; ++i) {
      if (other_traffic) {
        decide({1});
      }
      out.push_back(decide({0}).drop);
    }
    return out;
  };
  EXPECT_EQ(run(true), run(false));
}

}  // namespace
}  // namespace rocelane::lab
