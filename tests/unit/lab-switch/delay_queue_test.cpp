// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/delay_queue.h"

#include <gtest/gtest.h>

#include <vector>

namespace rocelane::lab {
namespace {

using std::chrono::milliseconds;
using Bytes = std::vector<std::uint8_t>;

constexpr DelayQueue::TimePoint kStart{std::chrono::seconds(1)};

TEST(DelayQueue, gives_nothing_before_its_time) {
  DelayQueue queue;
  EXPECT_EQ(queue.next_due(), std::nullopt);
  ASSERT_TRUE(queue.push(kStart + milliseconds(5), {3}, Direction::kOut, Bytes{1, 2}));
  EXPECT_EQ(queue.next_due(), kStart + milliseconds(5));
  EXPECT_FALSE(queue.pop_due(kStart + milliseconds(4)));
  const auto held = queue.pop_due(kStart + milliseconds(5));
  ASSERT_TRUE(held);
  EXPECT_EQ(held->port, PortIndex{3});
  EXPECT_EQ(held->direction, Direction::kOut);
  EXPECT_EQ(held->frame, (Bytes{1, 2}));
  EXPECT_EQ(queue.size(), 0U);
}

TEST(DelayQueue, gives_the_earliest_first_and_equal_times_in_order) {
  DelayQueue queue;
  for (std::uint8_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(queue.push(kStart + milliseconds(10), {0}, Direction::kIn, Bytes{i}));
  }
  ASSERT_TRUE(queue.push(kStart + milliseconds(1), {0}, Direction::kIn, Bytes{200}));
  EXPECT_EQ(queue.pop_due(kStart + milliseconds(10))->frame, Bytes{200});
  for (std::uint8_t i = 0; i < 100; ++i) {
    EXPECT_EQ(queue.pop_due(kStart + milliseconds(10))->frame, Bytes{i});
  }
}

TEST(DelayQueue, is_bounded_in_bytes_and_takes_again_after_giving) {
  DelayQueue queue;
  const Bytes big(DelayQueue::kMaxBytes / 4);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(queue.push(kStart, {0}, Direction::kIn, big));
  }
  EXPECT_FALSE(queue.push(kStart, {0}, Direction::kIn, Bytes{1}));
  ASSERT_TRUE(queue.pop_due(kStart));
  EXPECT_TRUE(queue.push(kStart, {0}, Direction::kIn, Bytes{1}));
}

}  // namespace
}  // namespace rocelane::lab
