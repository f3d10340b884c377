// SPDX-License-Identifier: Apache-2.0
// Where frames go: learning, flooding, tags, lengths, and VMs that are not there or do not read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <thread>

#include "tests/process/lab-switch/fake_vm.h"
#include "tests/process/lab-switch/switch_process.h"
#include "tests/support/ethernet_frame.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {
namespace {

using nlohmann::json;

constexpr std::size_t kLongest = 16'406;  // 16 KiB behind a header with two tags

class Forwarding : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(switch_.started()) << switch_.errors(); }

  // Sends and waits until the switch has dealt with it.
  void send(const FakeVm& vm, const FrameBytes& frame) {
    ASSERT_TRUE(vm.send(frame));
    switch_.port(0);
  }
  // Teaches the switch that `number` is behind the port.
  void introduce(const FakeVm& vm, std::uint8_t number, std::vector<std::uint16_t> vlans = {}) {
    send(vm, ethernet({.source = station(number), .vlans = std::move(vlans)}, text("hello")));
    for (const auto* other : {&vm0_, &vm1_, &vm2_}) {
      while (other->receive_now()) {
      }
    }
  }

  TempDir dir_;
  SwitchProcess switch_{dir_.path(), 4};  // nobody is at the fourth port
  FakeVm vm0_{dir_.path(), 0};
  FakeVm vm1_{dir_.path(), 1};
  FakeVm vm2_{dir_.path(), 2};
};

TEST_F(Forwarding, floods_broadcast_multicast_and_unknown_but_not_back) {
  for (const auto& destination : {kBroadcast, MacAddress{{0x33, 0x33, 0, 0, 0, 1}}, station(77)}) {
    const auto frame = ethernet({.destination = destination, .source = station(1)}, text("x"));
    send(vm0_, frame);
    EXPECT_EQ(vm1_.receive(), frame);
    EXPECT_EQ(vm2_.receive(), frame);
    EXPECT_EQ(vm0_.receive_now(), std::nullopt);
  }
}

TEST_F(Forwarding, sends_to_a_learned_station_only) {
  introduce(vm1_, 2);
  const auto frame = ethernet({.destination = station(2), .source = station(1)}, text("x"));
  send(vm0_, frame);
  EXPECT_EQ(vm1_.receive(), frame);
  EXPECT_EQ(vm2_.receive_now(), std::nullopt);
}

TEST_F(Forwarding, follows_a_station_that_moves) {
  introduce(vm1_, 2);
  introduce(vm2_, 2);
  const auto frame = ethernet({.destination = station(2), .source = station(1)}, text("x"));
  send(vm0_, frame);
  EXPECT_EQ(vm2_.receive(), frame);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
}

TEST_F(Forwarding, does_not_send_back_what_is_behind_the_same_port) {
  introduce(vm0_, 2);
  send(vm0_, ethernet({.destination = station(2), .source = station(1)}, text("x")));
  for (const auto* vm : {&vm0_, &vm1_, &vm2_}) {
    EXPECT_EQ(vm->receive_now(), std::nullopt);
  }
  EXPECT_EQ(switch_.port(0)["dropped"]["in"]["same_port"], 1);
}

TEST_F(Forwarding, learns_per_vlan) {
  introduce(vm1_, 2, {100});
  introduce(vm2_, 2, {200});
  const auto frame =
      ethernet({.destination = station(2), .source = station(1), .vlans = {100}}, text("x"));
  send(vm0_, frame);
  EXPECT_EQ(vm1_.receive(), frame);
  EXPECT_EQ(vm2_.receive_now(), std::nullopt);
  const auto macs = switch_.command({{"command", "macs"}})["macs"];
  ASSERT_EQ(macs.size(), 3U) << macs;
  EXPECT_EQ(macs[1]["vlan"], 100);
  EXPECT_EQ(macs[1]["mac"], "02:00:00:00:00:02");
  EXPECT_EQ(macs[1]["port"], 1);
  EXPECT_EQ(switch_.port(2)["macs"], json::array({{{"vlan", 200}, {"mac", "02:00:00:00:00:02"}}}));
}

TEST_F(Forwarding, leaves_tags_as_they_are) {
  const std::vector<std::vector<std::uint16_t>> stacks{{0}, {0xe064}, {0x2064, 0x1007}, {1, 2, 3}};
  for (const auto& vlans : stacks) {
    const auto frame = ethernet({.vlans = vlans}, ipv4_udp(4791, "tagged"));
    send(vm0_, frame);
    EXPECT_EQ(vm1_.receive(), frame);
  }
}

TEST_F(Forwarding, passes_jumbo_frames_and_counts_those_too_long) {
  auto frame = ethernet({.vlans = {7, 100}}, text(std::string(kLongest - 14 - 8, 'j')));
  ASSERT_EQ(frame.size(), kLongest);
  send(vm0_, frame);
  EXPECT_EQ(vm1_.receive(), frame);
  frame.push_back('!');
  send(vm0_, frame);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
  const auto port = switch_.port(0);
  EXPECT_EQ(port["dropped"]["in"]["oversize"], 1);
  EXPECT_EQ(port["rx"], (json{{"frames", 2}, {"bytes", 2 * kLongest + 1}}));
}

TEST_F(Forwarding, counts_what_is_no_frame) {
  send(vm0_, {});
  send(vm0_, FrameBytes(13));
  send(vm0_, FrameBytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x81, 0, 0});
  EXPECT_EQ(switch_.port(0)["dropped"]["in"]["malformed"], 3);
  EXPECT_EQ(vm1_.receive_now(), std::nullopt);
}

TEST_F(Forwarding, an_absent_vm_does_not_disturb_the_others) {
  for (int i = 0; i < 3; ++i) {
    const auto frame = ethernet({}, text("x"));
    send(vm0_, frame);
    EXPECT_EQ(vm1_.receive(), frame);
    EXPECT_EQ(vm2_.receive(), frame);
  }
  EXPECT_EQ(switch_.port(3)["dropped"]["out"]["absent"], 3);
  EXPECT_EQ(switch_.port(3)["tx"]["frames"], 0);
}

TEST_F(Forwarding, a_vm_that_does_not_read_loses_only_its_own_frames) {
  constexpr int kFrames = 2000;
  for (int i = 0; i < kFrames; ++i) {
    const auto frame = ethernet({}, text(std::to_string(i)));
    ASSERT_TRUE(vm0_.send(frame));
    ASSERT_EQ(vm2_.receive(), frame);
  }
  const auto stuck = switch_.port(1);
  EXPECT_EQ(stuck["queued"], 256);
  EXPECT_EQ(stuck["tx"]["frames"].get<int>() + stuck["queued"].get<int>() +
                stuck["dropped"]["out"]["full"].get<int>(),
            kFrames);
  // When it reads again, it gets what was kept, in order.
  const int kept = stuck["tx"]["frames"].get<int>() + stuck["queued"].get<int>();
  for (int i = 0; i < kept; ++i) {
    ASSERT_EQ(vm1_.receive(), ethernet({}, text(std::to_string(i))));
  }
  EXPECT_EQ(switch_.port(1)["queued"], 0);
}

TEST_F(Forwarding, finds_a_vm_that_was_started_again) {
  const auto frame = ethernet({}, text("x"));
  {
    const FakeVm late(dir_.path(), 3);
    send(vm0_, frame);
    EXPECT_EQ(late.receive(), frame);
  }
  send(vm0_, frame);  // its socket file is still there
  EXPECT_EQ(switch_.port(3)["dropped"]["out"]["absent"], 1);
  const FakeVm again(dir_.path(), 3);
  send(vm0_, frame);
  EXPECT_EQ(again.receive(), frame);
}

TEST_F(Forwarding, a_queue_is_lost_with_the_vm_that_did_not_read) {
  constexpr int kFrames = 1000;  // more than any kernel's own queue takes
  {
    const FakeVm late(dir_.path(), 3);
    for (int i = 0; i < kFrames; ++i) {
      send(vm0_, ethernet({}, text("x")));
      ASSERT_TRUE(vm1_.receive() && vm2_.receive());
    }
    EXPECT_GT(switch_.port(3)["queued"], 0);
  }
  send(vm0_, ethernet({}, text("x")));
  const auto port = switch_.port(3);
  EXPECT_EQ(port["queued"], 0);
  const auto& lost = port["dropped"]["out"];
  EXPECT_EQ(port["tx"]["frames"].get<int>() + lost["absent"].get<int>() + lost.value("full", 0),
            kFrames + 1);
}

// A figure to read; a busy machine may be arbitrarily slow.
TEST_F(Forwarding, throughput) {
  introduce(vm1_, 2);
  constexpr int kFrames = 50'000;
  const Link link{.destination = station(2), .source = station(1)};
  const auto frame = ethernet(link, text(std::string(50, 'x')));
  const auto last = ethernet(link, text("last"));
  std::thread reader([this, &last] {
    for (auto got = vm1_.receive(); got && *got != last; got = vm1_.receive()) {
    }
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kFrames; ++i) {
    EXPECT_TRUE(vm0_.send(frame));
  }
  auto port = switch_.port(1);
  const std::chrono::duration<double> span = std::chrono::steady_clock::now() - start;
  while (port["queued"] != 0) {
    port = switch_.port(1);
  }
  send(vm0_, last);
  reader.join();
  std::cout << "forwarded " << static_cast<long>(kFrames / span.count())
            << " frames/s of 64 bytes; the reader was too slow for "
            << port["dropped"]["out"].value("full", 0) << " of " << kFrames << "\n";
}

}  // namespace
}  // namespace rocelane::test
