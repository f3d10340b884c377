// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/frame_ring.h"

#include <gtest/gtest.h>

#include <vector>

namespace rocelane::lab {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes front_of(const FrameRing& ring) {
  const auto front = ring.front();
  return {front.begin(), front.end()};
}

TEST(FrameRing, keeps_order_and_bytes_around_its_end) {
  FrameRing ring;
  for (std::size_t i = 0; i < 3 * FrameRing::kFrames; ++i) {
    const Bytes frame(1 + i % kMaxFrameBytes, static_cast<std::uint8_t>(i));
    ASSERT_TRUE(ring.push(frame));
    ASSERT_TRUE(ring.push(Bytes{7}));
    EXPECT_EQ(front_of(ring), frame);
    ring.pop();
    EXPECT_EQ(front_of(ring), Bytes{7});
    ring.pop();
    EXPECT_TRUE(ring.empty());
  }
}

TEST(FrameRing, refuses_when_full_and_keeps_what_it_has) {
  FrameRing ring;
  for (std::size_t i = 0; i < FrameRing::kFrames; ++i) {
    ASSERT_TRUE(ring.push(Bytes{static_cast<std::uint8_t>(i)}));
  }
  EXPECT_FALSE(ring.push(Bytes{1}));
  EXPECT_EQ(ring.size(), FrameRing::kFrames);
  for (std::size_t i = 0; i < FrameRing::kFrames; ++i) {
    EXPECT_EQ(front_of(ring), Bytes{static_cast<std::uint8_t>(i)});
    ring.pop();
  }
  EXPECT_TRUE(ring.push(Bytes{1}));
}

TEST(FrameRing, takes_the_longest_frame_and_no_longer_one) {
  FrameRing ring;
  EXPECT_TRUE(ring.push(Bytes(kMaxFrameBytes, 9)));
  EXPECT_FALSE(ring.push(Bytes(kMaxFrameBytes + 1)));
  EXPECT_EQ(front_of(ring), Bytes(kMaxFrameBytes, 9));
}

}  // namespace
}  // namespace rocelane::lab
