// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/support/ethernet_frame.h"

namespace rocelane::lab {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using test::ethernet;
using test::ipv4;
using test::ipv4_udp;
using test::station;

constexpr Fault::TimePoint kStart{std::chrono::seconds(1)};

bool holds(const FaultMatch& match, const test::FrameBytes& frame) {
  return match.holds(*parse_frame(frame), frame.size());
}

TEST(FaultMatch, an_empty_one_holds_for_everything) {
  EXPECT_TRUE(holds({}, ethernet({}, test::text(""))));
}

TEST(FaultMatch, looks_at_every_tag_for_the_vlan) {
  const FaultMatch match{.vlan = 100};
  EXPECT_TRUE(holds(match, ethernet({.vlans = {100}}, test::text(""))));
  EXPECT_TRUE(holds(match, ethernet({.vlans = {0xe064}}, test::text(""))));
  EXPECT_TRUE(holds(match, ethernet({.vlans = {7, 100}}, test::text(""))));
  EXPECT_FALSE(holds(match, ethernet({.vlans = {7}}, test::text(""))));
  EXPECT_FALSE(holds(match, ethernet({}, test::text(""))));
}

TEST(FaultMatch, vlan_zero_is_a_frame_without_vlan) {
  const FaultMatch match{.vlan = 0};
  EXPECT_TRUE(holds(match, ethernet({}, test::text(""))));
  EXPECT_TRUE(holds(match, ethernet({.vlans = {0xe000}}, test::text(""))));
  EXPECT_FALSE(holds(match, ethernet({.vlans = {100}}, test::text(""))));
}

TEST(FaultMatch, compares_addresses_and_the_type_behind_the_tags) {
  const auto frame =
      ethernet({.destination = station(2), .source = station(1), .vlans = {9}}, ipv4_udp(53, ""));
  EXPECT_TRUE(holds({.source = station(1)}, frame));
  EXPECT_FALSE(holds({.source = station(2)}, frame));
  EXPECT_TRUE(holds({.destination = station(2)}, frame));
  EXPECT_FALSE(holds({.destination = station(1)}, frame));
  EXPECT_TRUE(holds({.ethertype = test::kEtherIpv4}, frame));
  EXPECT_FALSE(holds({.ethertype = test::kTagVlan}, frame));
}

TEST(FaultMatch, compares_protocol_and_either_udp_port) {
  const auto frame = ethernet({}, ipv4_udp(4791, ""));
  EXPECT_TRUE(holds({.ip_protocol = 17}, frame));
  EXPECT_FALSE(holds({.ip_protocol = 6}, frame));
  EXPECT_TRUE(holds({.udp_port = 4791}, frame));
  EXPECT_TRUE(holds({.udp_port = 0xc000}, frame));
  EXPECT_FALSE(holds({.udp_port = 4792}, frame));
}

TEST(FaultMatch, does_not_take_tcp_ports_or_no_ip_for_udp) {
  const FaultMatch match{.udp_port = 4791};
  EXPECT_FALSE(holds(match, ethernet({}, ipv4(6, test::udp(4791, "")))));
  EXPECT_FALSE(holds(match, ethernet({}, test::text("no ip at all, but long enough"))));
  EXPECT_FALSE(holds({.ip_protocol = 0}, ethernet({}, test::text("no ip"))));
}

TEST(FaultMatch, compares_the_length_of_the_whole_frame) {
  const auto frame = ethernet({}, test::text("123456"));
  EXPECT_TRUE(holds({.min_length = 20, .max_length = 20}, frame));
  EXPECT_FALSE(holds({.min_length = 21}, frame));
  EXPECT_FALSE(holds({.max_length = 19}, frame));
}

TEST(FaultMatch, needs_every_member) {
  const auto frame = ethernet({.vlans = {100}}, ipv4_udp(4791, ""));
  EXPECT_TRUE(holds({.vlan = 100, .udp_port = 4791}, frame));
  EXPECT_FALSE(holds({.vlan = 101, .udp_port = 4791}, frame));
  EXPECT_FALSE(holds({.vlan = 100, .udp_port = 1}, frame));
}

class Firing : public testing::Test {
 protected:
  std::vector<bool> fire(Fault& fault, int times, Direction direction = Direction::kIn) {
    std::vector<bool> fired(static_cast<std::size_t>(times));
    std::generate(fired.begin(), fired.end(),
                  [&] { return fault.fires(direction, *parse_frame(frame_), frame_.size()); });
    return fired;
  }

  test::FrameBytes frame_ = ethernet({}, test::text("x"));
};

TEST_F(Firing, only_in_its_directions) {
  Fault fault({.directions = {.out = true}}, 1);
  EXPECT_EQ(fire(fault, 1), std::vector({false}));
  EXPECT_EQ(fire(fault, 1, Direction::kOut), std::vector({true}));
  EXPECT_EQ(fault.matched(), 1U);
}

TEST_F(Firing, every_third_match) {
  Fault fault({.every = 3}, 1);
  EXPECT_EQ(fire(fault, 6), std::vector({false, false, true, false, false, true}));
  EXPECT_EQ(fault.matched(), 6U);
  EXPECT_EQ(fault.fired(), 2U);
}

TEST_F(Firing, stops_at_its_count) {
  Fault fault({.count = 2}, 1);
  EXPECT_EQ(fire(fault, 4), std::vector({true, true, false, false}));
  EXPECT_TRUE(fault.exhausted());
  EXPECT_EQ(fault.fired(), 2U);
}

TEST_F(Firing, count_limits_firings_not_matches) {
  Fault fault({.every = 2, .count = 1}, 1);
  EXPECT_EQ(fire(fault, 4), std::vector({false, true, false, false}));
}

TEST_F(Firing, probability_is_about_right_and_repeats_with_its_seed) {
  constexpr int kFrames = 10'000;
  Fault first({.probability = 0.25}, 42);
  const auto decisions = fire(first, kFrames);
  EXPECT_GT(first.fired(), 2300U);
  EXPECT_LT(first.fired(), 2700U);
  Fault second({.probability = 0.25}, 42);
  EXPECT_EQ(fire(second, kFrames), decisions);
  Fault third({.probability = 0.25}, 43);
  EXPECT_NE(fire(third, kFrames), decisions);
  first.seed(42);
  EXPECT_EQ(fire(first, kFrames), decisions);
}

TEST_F(Firing, probability_zero_never_and_one_always) {
  Fault never({.probability = 0}, 1);
  EXPECT_EQ(fire(never, 100), std::vector<bool>(100, false));
  Fault always({.probability = 1}, 1);
  EXPECT_EQ(fire(always, 100), std::vector<bool>(100, true));
}

TEST_F(Firing, corruption_needs_a_payload) {
  Fault fault({.action = FaultAction::kCorrupt}, 1);
  EXPECT_EQ(fire(fault, 1), std::vector({true}));
  frame_ = ethernet({}, test::text(""));
  EXPECT_EQ(fire(fault, 1), std::vector({false}));
}

TEST(FaultDelay, without_jitter_it_is_exact) {
  Fault fault({.action = FaultAction::kDelay, .delay = milliseconds(50)}, 1);
  EXPECT_EQ(fault.due(Direction::kIn, kStart), kStart + milliseconds(50));
}

TEST(FaultDelay, jitter_adds_within_its_bound_and_never_reorders) {
  Fault fault({.action = FaultAction::kDelay, .delay = milliseconds(5), .jitter = milliseconds(20)},
              1);
  auto last = kStart;
  bool jittered = false;
  for (int i = 0; i < 1000; ++i) {
    const auto now = kStart + microseconds(i);
    const auto due = fault.due(Direction::kIn, now);
    EXPECT_GE(due, now + milliseconds(5));
    EXPECT_LE(due, now + milliseconds(25));
    EXPECT_GE(due, last);
    jittered = jittered || due > now + milliseconds(6);
    last = due;
  }
  EXPECT_TRUE(jittered);
}

TEST(FaultDelay, directions_do_not_wait_for_each_other) {
  Fault fault({.action = FaultAction::kDelay, .delay = milliseconds(50)}, 1);
  EXPECT_EQ(fault.due(Direction::kIn, kStart + milliseconds(10)), kStart + milliseconds(60));
  EXPECT_EQ(fault.due(Direction::kOut, kStart), kStart + milliseconds(50));
}

}  // namespace
}  // namespace rocelane::lab
