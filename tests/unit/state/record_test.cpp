// SPDX-License-Identifier: Apache-2.0
#include "lib/state/record.h"

#include "tests/support/result_matchers.h"
#include "tests/support/sample_record.h"

namespace rocelane::state {
namespace {

using testing::HasSubstr;

std::string with(const std::string& before, const std::string& after) {
  auto text = encode_record(test::sample_record());
  const auto at = text.find(before);
  EXPECT_NE(at, std::string::npos) << before;
  return at == std::string::npos ? text : text.replace(at, before.size(), after);
}

TEST(Record, comes_back_as_it_was) {
  const auto record = test::sample_record();
  const auto again = parse_record(encode_record(record));
  ASSERT_OK(again);
  EXPECT_EQ(*again, record);
}

TEST(Record, absent_fields_stay_absent) {
  const Record record{.generation = "1", .container_id = "c", .if_name = "i", .device_id = "d"};
  const auto again = parse_record(encode_record(record));
  ASSERT_OK(again);
  EXPECT_EQ(*again, record);
  EXPECT_FALSE(again->saved.vlan.has_value());
  EXPECT_FALSE(again->saved.admin_mac.has_value());
}

TEST(Record, has_the_keys_that_other_programs_read) {
  const auto text = encode_record(test::sample_record());
  for (const auto* key : {"version", "generation", "containerID", "ifName", "cniNetworkName",
                          "cniIfName", "pod", "network", "resource", "deviceID", "netns", "bootID",
                          "phase", "step", "saved", "rdma", "addresses", "gid", "timings"}) {
    EXPECT_THAT(text, HasSubstr(std::string("\n  \"") + key + "\": ")) << key;
  }
}

TEST(Record, every_phase_has_its_name) {
  for (const auto phase : {Phase::kPlanned, Phase::kChanging, Phase::kReady, Phase::kReleasing}) {
    auto record = test::sample_record();
    record.phase = phase;
    const auto again = parse_record(encode_record(record));
    ASSERT_OK(again);
    EXPECT_EQ(again->phase, phase);
  }
}

TEST(Record, keys_of_a_newer_minor_version_are_skipped) {
  const auto again = parse_record(with("\"gid\":", "\"colour\": {\"deep\": [1]},\n  \"gid\":"));
  ASSERT_OK(again);
  EXPECT_EQ(*again, test::sample_record());
}

TEST(Record, another_major_version_is_unsupported) {
  const auto again = parse_record(with("\"version\": 1", "\"version\": 2"));
  EXPECT_ERROR(again, Code::kUnsupported);
  EXPECT_THAT(again.error().message, HasSubstr("version 2"));
}

TEST(Record, damage_says_where) {
  const auto problem = [](const std::string& text) {
    const auto record = parse_record(text);
    EXPECT_ERROR(record, Code::kInvalidInput);
    return record.ok() ? std::string() : record.error().message;
  };
  EXPECT_EQ(problem(with("\"vlan\": 77", "\"vlan\": 70000")),
            "$.saved.vlan: must be 0-65535, is 70000");
  EXPECT_EQ(problem(with("\"02:00:5e:10:00:01\"", "\"02\"")),
            "$.saved.mac: \"02\" is not a MAC address (want 02:00:5e:10:00:01)");
  EXPECT_THAT(problem(with("\"changing\"", "\"changed\"")), HasSubstr("$.phase: must be"));
  EXPECT_EQ(problem(with("\"deviceID\"", "\"deviceId\"")), "$.deviceID: is missing");
  EXPECT_EQ(problem(with("\"version\"", "\"versio\"")), "$.version: is missing");
  EXPECT_EQ(problem("[]"), "$: must be an object, is a list");
}

TEST(Record, cut_at_any_byte_is_damage_and_never_a_crash) {
  const auto text = encode_record(test::sample_record());
  const auto end = text.rfind('}') + 1;  // behind it is only white space
  for (std::size_t size = 0; size < end; ++size) {
    EXPECT_ERROR(parse_record(std::string_view(text).substr(0, size)), Code::kInvalidInput) << size;
  }
}

TEST(Record, any_changed_byte_is_survived) {
  constexpr std::string_view kBytes = "\"}[-9\\\xff";
  const auto good = encode_record(test::sample_record());
  for (std::size_t at = 0; at < good.size(); ++at) {
    auto text = good;
    text[at] = kBytes[at % kBytes.size()];
    const auto record = parse_record(text);
    EXPECT_TRUE(record.ok() || !record.error().message.empty());
  }
}

}  // namespace
}  // namespace rocelane::state
