// SPDX-License-Identifier: Apache-2.0
#include "node-agent/vf_mac.h"

#include <gtest/gtest.h>

#include "node-agent/hash.h"

namespace rocelane::agent {
namespace {

MacAddress mac(const char* text) {
  auto parsed = MacAddress::parse(text);
  ROCELANE_CHECK(parsed.ok());
  return *parsed;
}

VfIdentity identity(std::uint32_t vf, const char* pf_mac = "52:54:00:12:34:56") {
  return {.pf_permanent_mac = mac(pf_mac), .pf = {.bus = 1}, .vf = vf};
}

TEST(VfMac, is_a_locally_administered_unicast_address) {
  for (std::uint32_t vf = 0; vf < 256; ++vf) {
    const auto derived = derive_vf_mac(identity(vf), 0);
    EXPECT_EQ(derived.bytes[0] & 0x03, 0x02) << derived.to_string();
  }
}

// A different value after an upgrade would give every VF of a running cluster another MAC.
TEST(VfMac, values_never_change) {
  EXPECT_EQ(stable_hash(""), 0xefd01f60ba992926U);
  EXPECT_EQ(derive_vf_mac(identity(0), 0).to_string(), "a6:98:c5:61:35:64");
  EXPECT_EQ(derive_vf_mac(identity(6), 0).to_string(), "c2:a3:f0:74:b4:85");
}

TEST(VfMac, differs_by_node_function_index_and_attempt) {
  std::set<MacAddress> seen;
  for (const char* pf_mac : {"52:54:00:12:34:56", "52:54:00:12:34:57"}) {
    for (std::uint8_t function = 0; function < 2; ++function) {
      for (std::uint32_t vf = 0; vf < 64; ++vf) {
        for (unsigned attempt = 0; attempt < kMacAttempts; ++attempt) {
          auto who = identity(vf, pf_mac);
          who.pf.function = function;
          seen.insert(derive_vf_mac(who, attempt));
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 2U * 2U * 64U * kMacAttempts);
}

TEST(VfMac, choice_avoids_what_others_have) {
  const auto first = derive_vf_mac(identity(0), 0);
  const auto second = derive_vf_mac(identity(0), 1);
  const auto third = derive_vf_mac(identity(0), 2);
  EXPECT_EQ(choose_vf_mac(identity(0), {}, {}, {}), first);
  EXPECT_EQ(choose_vf_mac(identity(0), {}, {first}, {}), second);
  EXPECT_EQ(choose_vf_mac(identity(0), {}, {first}, {second}), third);
}

TEST(VfMac, one_of_its_own_is_kept_although_an_upper_link_shares_it) {
  const auto first = derive_vf_mac(identity(0), 0);
  const auto second = derive_vf_mac(identity(0), 1);
  EXPECT_EQ(choose_vf_mac(identity(0), second, {}, {second}), second);
  EXPECT_EQ(choose_vf_mac(identity(0), second, {second}, {}), first)
      << "not when another VF has it";
}

TEST(VfMac, foreign_one_is_replaced) {
  EXPECT_EQ(choose_vf_mac(identity(0), mac("02:00:00:00:00:01"), {}, {}),
            derive_vf_mac(identity(0), 0));
}

}  // namespace
}  // namespace rocelane::agent
