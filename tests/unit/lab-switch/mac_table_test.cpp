// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/mac_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/ethernet_frame.h"

namespace rocelane::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::station;
using testing::ElementsAre;

constexpr PortIndex kPort0{0};
constexpr PortIndex kPort1{1};
constexpr MacTable::TimePoint kStart{seconds(1000)};

TEST(MacTable, finds_what_it_learned) {
  MacTable table;
  table.learn({.vlan = 100, .mac = station(1)}, kPort1, kStart);
  EXPECT_EQ(table.find({.vlan = 100, .mac = station(1)}, kStart), kPort1);
  EXPECT_EQ(table.find({.vlan = 100, .mac = station(2)}, kStart), std::nullopt);
}

TEST(MacTable, keeps_vlans_apart) {
  MacTable table;
  table.learn({.vlan = 100, .mac = station(1)}, kPort0, kStart);
  table.learn({.vlan = 200, .mac = station(1)}, kPort1, kStart);
  EXPECT_EQ(table.find({.vlan = 100, .mac = station(1)}, kStart), kPort0);
  EXPECT_EQ(table.find({.vlan = 200, .mac = station(1)}, kStart), kPort1);
  EXPECT_EQ(table.find({.vlan = 0, .mac = station(1)}, kStart), std::nullopt);
}

TEST(MacTable, follows_a_station_that_moves) {
  MacTable table;
  table.learn({.mac = station(1)}, kPort0, kStart);
  table.learn({.mac = station(1)}, kPort1, kStart);
  EXPECT_EQ(table.find({.mac = station(1)}, kStart), kPort1);
  EXPECT_EQ(table.size(), 1U);
}

TEST(MacTable, forgets_after_the_ageing_time_and_not_before) {
  MacTable table;
  table.learn({.mac = station(1)}, kPort0, kStart);
  const auto last = kStart + MacTable::kAgeing - milliseconds(1);
  EXPECT_EQ(table.find({.mac = station(1)}, last), kPort0);
  EXPECT_EQ(table.find({.mac = station(1)}, last + milliseconds(1)), std::nullopt);
}

TEST(MacTable, hearing_a_station_again_makes_it_young) {
  MacTable table;
  table.learn({.mac = station(1)}, kPort0, kStart);
  table.learn({.mac = station(1)}, kPort0, kStart + seconds(200));
  EXPECT_EQ(table.find({.mac = station(1)}, kStart + seconds(400)), kPort0);
}

TEST(MacTable, removing_the_aged_makes_room_and_keeps_the_young) {
  MacTable table;
  table.learn({.mac = station(1)}, kPort0, kStart);
  table.learn({.mac = station(2)}, kPort0, kStart + seconds(1));
  table.remove_aged(kStart + MacTable::kAgeing);
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.find({.mac = station(2)}, kStart + MacTable::kAgeing), kPort0);
}

TEST(MacTable, does_not_learn_group_or_zero_addresses) {
  MacTable table;
  table.learn({.mac = test::kBroadcast}, kPort0, kStart);
  table.learn({.mac = {{0x01, 0, 0x5e, 0, 0, 1}}}, kPort0, kStart);
  table.learn({.mac = {}}, kPort0, kStart);
  EXPECT_EQ(table.size(), 0U);
}

TEST(MacTable, is_bounded_and_still_follows_those_it_knows) {
  MacTable table;
  for (std::size_t i = 0; i <= MacTable::kMaxEntries; ++i) {
    const MacAddress mac{
        {0x02, 0, 0, 0, static_cast<std::uint8_t>(i >> 8U), static_cast<std::uint8_t>(i)}};
    table.learn({.vlan = static_cast<std::uint16_t>(i >> 16U), .mac = mac}, kPort0, kStart);
  }
  EXPECT_EQ(table.size(), MacTable::kMaxEntries);
  table.learn({.mac = station(1)}, kPort1, kStart);
  EXPECT_EQ(table.find({.mac = station(1)}, kStart), kPort1);
}

TEST(MacTable, lists_the_young_in_order_with_their_age) {
  MacTable table;
  table.learn({.vlan = 4094, .mac = station(9)}, kPort1, kStart + seconds(290));
  table.learn({.vlan = 7, .mac = {{0xfe, 2, 3, 4, 5, 6}}}, kPort0, kStart + seconds(300));
  table.learn({.mac = station(1)}, kPort0, kStart);
  using Entry = MacTable::Entry;
  EXPECT_THAT(
      table.entries(kStart + seconds(300)),
      ElementsAre(
          Entry{.station = {.vlan = 7, .mac = {{0xfe, 2, 3, 4, 5, 6}}}, .port = kPort0},
          Entry{.station = {.vlan = 4094, .mac = station(9)}, .port = kPort1, .age = seconds(10)}));
}

}  // namespace
}  // namespace rocelane::lab
