// SPDX-License-Identifier: Apache-2.0
#include "lib/json/suggestion.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace rocelane::json {
namespace {

std::string similar(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kKnown{"pfNames", "vlan", "vlanQoS", "mtu",
                                                          "resourceName"};
  return std::string(find_similar(word, kKnown).value_or("nothing"));
}

TEST(Suggestion, finds_slips_of_the_pen) {
  EXPECT_EQ(similar("pfName"), "pfNames");
  EXPECT_EQ(similar("PFNAMES"), "pfNames");
  EXPECT_EQ(similar("vlanqos"), "vlanQoS");
  EXPECT_EQ(similar("vlna"), "vlan");
  EXPECT_EQ(similar("mtuu"), "mtu");
  EXPECT_EQ(similar("resourcesNames"), "resourceName");
}

TEST(Suggestion, does_not_guess_wildly) {
  EXPECT_EQ(similar("gateway"), "nothing");
  EXPECT_EQ(similar("x"), "nothing");
  EXPECT_EQ(similar(""), "nothing");
  EXPECT_EQ(similar(std::string(100'000, 'v')), "nothing");
  EXPECT_FALSE(find_similar("x", {}).has_value());
}

}  // namespace
}  // namespace rocelane::json
