// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/conflist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/result_matchers.h"

namespace rocelane::cni {
namespace {

using nlohmann::ordered_json;

// Keys in an order that no sorting gives, values that a careless rewrite would change.
constexpr const char* kProviders = R"({
  "name": "k8s-pod-network",
  "cniVersion": "0.3.1",
  "disableGC": true,
  "plugins": [
    {"type": "calico", "nodename": "node0", "mtu": 0, "big": 18446744073709551615, "half": 0.5,
     "ipam": {"type": "calico-ipam"}, "policy": {"type": "k8s"}, "text": "ä <&> \\u0000"},
    {"type": "portmap", "snat": true, "capabilities": {"portMappings": true}}
  ],
  "x-provider": {"z": 1, "a": [null, {}]}
})";

std::string added(std::string_view text, const ChainedEntry& entry = {}) {
  const auto edited = add_chained_entry(text, entry);
  EXPECT_OK(edited);
  EXPECT_TRUE(edited.ok() && edited->has_value()) << "unchanged";
  return edited.ok() ? edited->value_or("") : "";
}

TEST(Conflist, entry_is_last_and_everything_else_is_as_it_was) {
  auto edited = ordered_json::parse(added(kProviders));
  ASSERT_EQ(edited["plugins"].size(), 3U);
  EXPECT_EQ(edited["plugins"][2].dump(),
            R"({"type":"roce-cni","capabilities":{"io.kubernetes.cri.pod-annotations":true}})");
  edited["plugins"].erase(2);
  EXPECT_EQ(edited.dump(), ordered_json::parse(kProviders).dump()) << "key order included";
}

TEST(Conflist, only_what_is_not_a_default_is_written) {
  const auto edited = ordered_json::parse(
      added(kProviders, {.config_file = "/c.json", .state_dir = "/s", .sysfs_root = "/fake"}));
  EXPECT_EQ(edited["plugins"][2].dump(),
            R"({"type":"roce-cni","capabilities":{"io.kubernetes.cri.pod-annotations":true},)"
            R"("configFile":"/c.json","stateDir":"/s","sysfsRoot":"/fake"})");
}

TEST(Conflist, second_time_there_is_nothing_to_do) {
  const auto again = add_chained_entry(added(kProviders), {});
  ASSERT_OK(again);
  EXPECT_EQ(*again, std::nullopt);
}

TEST(Conflist, outdated_entry_is_replaced_and_never_doubled) {
  const auto old = added(kProviders, {.state_dir = "/old"});
  EXPECT_EQ(added(old, {.state_dir = "/new"}), added(kProviders, {.state_dir = "/new"}));
}

TEST(Conflist, entry_in_the_middle_moves_to_the_end) {
  auto document = ordered_json::parse(added(kProviders));
  document["plugins"].push_back({{"type", "bandwidth"}});
  const auto edited = ordered_json::parse(added(document.dump()));
  ASSERT_EQ(edited["plugins"].size(), 4U);
  EXPECT_EQ(edited["plugins"][2]["type"], "bandwidth");
  EXPECT_EQ(edited["plugins"][3]["type"], "roce-cni");
}

TEST(Conflist, removal_is_the_inverse_of_adding) {
  const auto removed = remove_chained_entry(added(kProviders));
  ASSERT_OK(removed);
  ASSERT_TRUE(removed->has_value());
  EXPECT_EQ(ordered_json::parse(**removed).dump(), ordered_json::parse(kProviders).dump());

  const auto nothing = remove_chained_entry(kProviders);
  ASSERT_OK(nothing);
  EXPECT_EQ(*nothing, std::nullopt);
}

TEST(Conflist, single_plugin_becomes_a_list_with_the_same_name_and_version) {
  const auto edited = ordered_json::parse(
      added(R"({"cniVersion":"0.3.1","name":"old","type":"bridge","ipam":{"type":"host-local"}})"));
  EXPECT_EQ(
      edited.dump(),
      R"({"cniVersion":"0.3.1","name":"old","plugins":[{"type":"bridge","ipam":{"type":"host-local"}},)"
      R"({"type":"roce-cni","capabilities":{"io.kubernetes.cri.pod-annotations":true}}]})");
}

TEST(Conflist, absent_version_stays_absent) {
  const auto edited = ordered_json::parse(added(R"({"name":"old","plugins":[{"type":"bridge"}]})"));
  EXPECT_FALSE(edited.contains("cniVersion"));
}

TEST(Conflist, what_a_runtime_would_not_load_is_refused) {
  for (const char* text :
       {"", "{", "[]", R"({"plugins":[{"type":"bridge"}]})", R"({"name":"","type":"bridge"})",
        R"({"name":"n"})", R"({"name":"n","plugins":[]})", R"({"name":"n","plugins":[{}]})",
        R"({"name":"n","plugins":{"type":"bridge"}})", R"({"name":"n","plugins":[7]})"}) {
    EXPECT_ERROR(classify_conf(text), Code::kInvalidInput) << text;
    EXPECT_ERROR(add_chained_entry(text, {}), Code::kInvalidInput) << text;
    EXPECT_ERROR(remove_chained_entry(text), Code::kInvalidInput) << text;
  }
}

TEST(Conflist, network_of_our_plugin_alone_has_nothing_to_be_chained_to) {
  EXPECT_ERROR(add_chained_entry(R"({"name":"n","plugins":[{"type":"roce-cni"}]})", {}),
               Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::cni
