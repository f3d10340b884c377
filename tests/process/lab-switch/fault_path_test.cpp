// SPDX-License-Identifier: Apache-2.0
// What cuts, faults and captures do to frames on their way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>

#include "lib/base/file.h"
#include "tests/process/lab-switch/fake_vm.h"
#include "tests/process/lab-switch/switch_process.h"
#include "tests/support/ethernet_frame.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

class FaultPath : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(switch_.started()) << switch_.errors(); }

  void send(const FakeVm& vm, const FrameBytes& frame) {
    ASSERT_TRUE(vm.send(frame));
    switch_.port(0);
  }
  void fault(json spec) {
    spec["command"] = "fault";
    switch_.command(spec);
  }

  const FrameBytes frame_ = ethernet({}, text("some content"));
  TempDir dir_;
  SwitchProcess switch_{dir_.path(), 3};
  FakeVm vm0_{dir_.path(), 0};
  FakeVm vm1_{dir_.path(), 1};
  FakeVm vm2_{dir_.path(), 2};
};

TEST_F(FaultPath, cut_in_silences_the_sender_and_nobody_else) {
  switch_.command({{"command", "cut"}, {"port", 0}, {"direction", "in"}});
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
  send(vm1_, frame_);
  EXPECT_EQ(vm0_.receive(), frame_);
  EXPECT_EQ(vm2_.receive(), frame_);
  const auto port = switch_.port(0);
  EXPECT_EQ(port["cut"], "in");
  EXPECT_EQ(port["dropped"]["in"]["cut"], 1);
  EXPECT_EQ(port["macs"], json::array());
}

TEST_F(FaultPath, cut_out_silences_the_receiver_only) {
  switch_.command({{"command", "cut"}, {"port", 0}, {"direction", "out"}});
  send(vm1_, frame_);
  EXPECT_EQ(vm0_.receive_now(), std::nullopt);
  EXPECT_EQ(vm2_.receive(), frame_);
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
  EXPECT_EQ(switch_.port(0)["dropped"]["out"]["cut"], 1);
}

TEST_F(FaultPath, cut_and_restore_both_and_one_direction_after_the_other) {
  switch_.command({{"command", "cut"}, {"port", 0}});
  EXPECT_EQ(switch_.port(0)["cut"], "both");
  switch_.command({{"command", "restore"}, {"port", 0}, {"direction", "in"}});
  EXPECT_EQ(switch_.port(0)["cut"], "out");
  switch_.command({{"command", "restore"}, {"port", 0}});
  EXPECT_EQ(switch_.port(0)["cut"], "none");
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
  send(vm1_, frame_);
  EXPECT_EQ(vm0_.receive(), frame_);
}

TEST_F(FaultPath, drops_roce_and_lets_everything_else_pass) {
  fault({{"port", 0},
         {"direction", "in"},
         {"id", "no-roce"},
         {"match", {{"udp_port", 4791}}},
         {"action", "drop"}});
  for (const auto& vlans : std::vector<std::vector<std::uint16_t>>{{}, {100}, {7, 100}}) {
    send(vm0_, ethernet({.vlans = vlans}, ipv4_udp(4791, "roce")));
    send(vm0_, ethernet({.vlans = vlans}, ipv6(kProtocolUdp, udp(4791, "roce"))));
    const auto other = ethernet({.vlans = vlans}, ipv4_udp(4790, "not roce"));
    send(vm0_, other);
    EXPECT_EQ(vm1_.receive(), other);
  }
  send(vm1_, ethernet({}, ipv4_udp(4791, "the other way")));
  EXPECT_NE(vm0_.receive(), std::nullopt);
  const auto port = switch_.port(0);
  EXPECT_EQ(port["dropped"]["in"]["fault"], 6);
  EXPECT_EQ(port["faults"][0]["id"], "no-roce");
  EXPECT_EQ(port["faults"][0]["fired"], 6);
}

TEST_F(FaultPath, an_outward_fault_concerns_one_receiver) {
  fault({{"port", 1}, {"direction", "out"}, {"action", "drop"}});
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
  EXPECT_EQ(vm2_.receive(), frame_);
}

TEST_F(FaultPath, clear_ends_a_fault) {
  fault({{"port", 0}, {"id", "a"}, {"action", "drop"}});
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
  EXPECT_EQ(switch_.command({{"command", "clear"}, {"id", "a"}})["cleared"], 1);
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
}

TEST_F(FaultPath, duplicates_count_times) {
  fault({{"port", 0}, {"direction", "in"}, {"action", "duplicate"}, {"count", 1}});
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
  send(vm0_, frame_);
  EXPECT_EQ(vm1_.receive(), frame_);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
}

int flipped_bits(const FrameBytes& a, const FrameBytes& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bits += std::popcount(static_cast<std::uint8_t>(a[i] ^ b[i]));
  }
  return bits;
}

TEST_F(FaultPath, corrupts_one_bit_for_one_receiver) {
  fault({{"port", 1}, {"direction", "out"}, {"action", "corrupt"}});
  send(vm0_, frame_);
  const auto corrupted = vm1_.receive();
  ASSERT_TRUE(corrupted);
  ASSERT_EQ(corrupted->size(), frame_.size());
  EXPECT_EQ(flipped_bits(*corrupted, frame_), 1);
  EXPECT_TRUE(std::equal(frame_.begin(), frame_.begin() + 14, corrupted->begin()));
  EXPECT_EQ(vm2_.receive(), frame_);
}

TEST_F(FaultPath, delays_at_least_so_long_and_keeps_the_order) {
  constexpr milliseconds kDelay{60};
  fault({{"port", 0},
         {"direction", "in"},
         {"match", {{"udp_port", 4791}}},
         {"action", "delay"},
         {"delay_ms", kDelay.count()},
         {"jitter_ms", 20}});
  const auto start = steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(vm0_.send(ethernet({}, ipv4_udp(4791, std::to_string(i)))));
  }
  const auto undelayed = ethernet({}, ipv4_udp(1, "first"));
  ASSERT_TRUE(vm0_.send(undelayed));
  EXPECT_EQ(vm1_.receive(), undelayed);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(vm1_.receive(), ethernet({}, ipv4_udp(4791, std::to_string(i))));
    ASSERT_GE(steady_clock::now() - start, kDelay);
  }
}

TEST_F(FaultPath, a_cut_wire_loses_what_was_delayed_on_it) {
  fault({{"port", 1}, {"direction", "out"}, {"action", "delay"}, {"delay_ms", 1000}});
  fault({{"port", 2}, {"direction", "out"}, {"action", "delay"}, {"delay_ms", 1000}});
  send(vm0_, frame_);
  switch_.command({{"command", "cut"}, {"port", 1}});
  EXPECT_EQ(vm2_.receive(), frame_);  // as late as the lost one would have been
  EXPECT_EQ(switch_.port(1)["dropped"]["out"]["cut"], 1);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
}

TEST_F(FaultPath, the_seed_repeats_which_frames_are_lost) {
  const auto survivors = [this] {
    switch_.command({{"command", "clear"}});
    switch_.command({{"command", "seed"}, {"value", 2026}});
    fault({{"port", 0}, {"direction", "in"}, {"action", "drop"}, {"probability", 0.5}});
    std::string out;
    for (int i = 0; i < 64; ++i) {
      send(vm0_, frame_);
      const bool came = vm1_.receive_now().has_value();
      EXPECT_EQ(vm2_.receive_now().has_value(), came);
      out += came ? '1' : '0';
    }
    return out;
  };
  const auto first = survivors();
  EXPECT_NE(first.find('1'), std::string::npos);
  EXPECT_NE(first.find('0'), std::string::npos);
  EXPECT_EQ(survivors(), first);
}

TEST_F(FaultPath, captures_what_the_vm_sent_and_got) {
  const auto path = dir_ / "port.pcap";
  switch_.command({{"command", "capture"}, {"port", 0}, {"path", path}, {"snaplen", 20}});
  EXPECT_FALSE(switch_.ask({{"command", "capture"}, {"port", 0}, {"path", path}})["ok"]);
  fault({{"port", 0}, {"direction", "in"}, {"action", "drop"}});
  send(vm0_, frame_);  // lost behind the capture
  send(vm1_, frame_);
  const auto stopped = switch_.command({{"command", "capture-stop"}});
  EXPECT_EQ(stopped["captures"][0]["frames"], 2);
  send(vm1_, frame_);
  EXPECT_EQ(read_file(path)->size(), 24U + 2 * (16 + 20));
}

}  // namespace
}  // namespace rocelane::test
