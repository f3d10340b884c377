// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/ethernet_frame.h"
#include "tests/support/result_matchers.h"

namespace rocelane::lab {
namespace {

using nlohmann::json;
using std::chrono::microseconds;
using testing::HasSubstr;

Result<FaultSpec> parse(const std::string& text) {
  auto object = json::parse(text, nullptr, false);
  object["command"] = "fault";
  Request request(object, "");
  request.string("command");
  auto spec = read_fault(request, 2);
  ROCELANE_RETURN_IF_ERROR(request.finish());
  return spec;
}

std::string problem(const std::string& text) {
  const auto result = parse(text);
  return result.ok() ? "accepted" : result.error().message;
}

TEST(FaultJson, reads_every_member) {
  const auto spec = parse(R"({"port":1,"direction":"in","id":"slow","action":"delay",
    "match":{"vlan":100,"ethertype":"0x0800","src":"02:00:00:00:00:01","dst":"02:00:00:00:00:02",
             "ip_protocol":17,"udp_port":4791,"min_length":64,"max_length":1500},
    "probability":0.5,"every":3,"count":10,"delay_ms":50,"jitter_ms":0.5})");
  ASSERT_OK(spec);
  EXPECT_EQ(*spec, (FaultSpec{.id = "slow",
                              .port = {1},
                              .directions = {.in = true},
                              .match = {.vlan = 100,
                                        .ethertype = 0x0800,
                                        .source = test::station(1),
                                        .destination = test::station(2),
                                        .ip_protocol = 17,
                                        .udp_port = 4791,
                                        .min_length = 64,
                                        .max_length = 1500},
                              .action = FaultAction::kDelay,
                              .probability = 0.5,
                              .every = 3,
                              .count = 10,
                              .delay = microseconds(50'000),
                              .jitter = microseconds(500)}));
}

TEST(FaultJson, what_is_left_out_has_the_widest_meaning) {
  const auto spec = parse(R"({"port":0,"action":"drop"})");
  ASSERT_OK(spec);
  EXPECT_EQ(*spec, FaultSpec{});
}

TEST(FaultJson, reads_the_type_as_a_number_too) {
  const auto spec = parse(R"({"port":0,"action":"drop","match":{"ethertype":2048}})");
  ASSERT_OK(spec);
  EXPECT_EQ(spec->match.ethertype, 0x0800);
}

TEST(FaultJson, names_what_is_wrong) {
  EXPECT_EQ(problem(R"({"action":"drop"})"), "port is missing");
  EXPECT_EQ(problem(R"({"port":2,"action":"drop"})"), "port must be an integer from 0 to 1");
  EXPECT_EQ(problem(R"({"port":-1,"action":"drop"})"), "port must be an integer from 0 to 1");
  EXPECT_EQ(problem(R"({"port":0})"), "action is missing");
  EXPECT_EQ(problem(R"({"port":0,"action":"eat"})"),
            "action must be drop, delay, duplicate or corrupt");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","direction":"up"})"),
            "direction must be in, out or both");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","probability":1.5})"),
            "probability must be a number from 0 to 1");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","every":0})"),
            "every must be an integer from 1 to 18446744073709551615");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","id":7})"), "id must be a string");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","match":[]})"), "match must be an object");
}

TEST(FaultJson, names_what_is_wrong_inside_the_match) {
  const auto in_match = [](const std::string& member) {
    return problem(R"({"port":0,"action":"drop","match":{)" + member + "}}");
  };
  EXPECT_THAT(in_match(R"("vlan":4095)"),
              HasSubstr("match.vlan must be an integer from 0 to 4094"));
  EXPECT_THAT(in_match(R"("src":"zz")"), HasSubstr("match.src is wrong"));
  EXPECT_THAT(in_match(R"("ethertype":"0x")"), HasSubstr("match.ethertype must be from 0x0000"));
  EXPECT_THAT(in_match(R"("ethertype":"0x10000")"), HasSubstr("match.ethertype must be from"));
  EXPECT_THAT(in_match(R"("upd_port":1)"), HasSubstr("unknown key match.upd_port"));
}

TEST(FaultJson, an_unknown_key_is_an_error) {
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","udp_port":4791})"), "unknown key udp_port");
}

TEST(FaultJson, delay_goes_with_the_delay_action_only) {
  EXPECT_EQ(problem(R"({"port":0,"action":"delay"})"), "delay_ms is missing");
  EXPECT_EQ(problem(R"({"port":0,"action":"drop","delay_ms":5})"),
            "delay_ms is for the action delay only");
}

TEST(FaultJson, what_it_writes_it_reads) {
  const FaultSpec spec{.id = "x",
                       .port = {1},
                       .directions = {.out = true},
                       .match = {.ethertype = 0x88a8, .source = test::station(3), .udp_port = 53},
                       .action = FaultAction::kDelay,
                       .probability = 0.25,
                       .every = 2,
                       .count = 9,
                       .delay = microseconds(1500),
                       .jitter = microseconds(250)};
  auto encoded = encode_fault(Fault(spec, 1));
  EXPECT_EQ(encoded["matched"], 0);
  EXPECT_EQ(encoded["fired"], 0);
  EXPECT_EQ(encoded["exhausted"], false);
  for (const auto* key : {"matched", "fired", "exhausted"}) {
    encoded.erase(key);
  }
  const auto again = parse(encoded.dump());
  ASSERT_OK(again);
  EXPECT_EQ(*again, spec);
}

}  // namespace
}  // namespace rocelane::lab
