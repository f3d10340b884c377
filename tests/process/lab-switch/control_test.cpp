// SPDX-License-Identifier: Apache-2.0
// The control socket as a conversation: answers, errors, and clients that misbehave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/process/lab-switch/switch_process.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Control : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(switch_.started()) << switch_.errors(); }

  std::string error(const std::string& line) {
    const auto answer = json::parse(switch_.ask_line(line), nullptr, false);
    return answer.value("ok", true) ? "accepted" : answer.value("error", "no error named");
  }

  TempDir dir_;
  SwitchProcess switch_{dir_.path(), 2};
};

TEST_F(Control, says_what_is_wrong) {
  EXPECT_THAT(error("not json"), HasSubstr("not one JSON object"));
  EXPECT_THAT(error("[1]"), HasSubstr("not one JSON object"));
  EXPECT_THAT(error(R"({})"), HasSubstr("command is missing"));
  EXPECT_THAT(error(R"({"command":"explode"})"), HasSubstr(R"("explode" is unknown)"));
  EXPECT_THAT(error(R"({"command":"ports","port":0})"), HasSubstr("unknown key port"));
  EXPECT_THAT(error(R"({"command":"cut","port":2})"), HasSubstr("port must be"));
  EXPECT_THAT(error(R"({"command":"cut","port":0,"direction":"left"})"), HasSubstr("direction"));
  EXPECT_THAT(error(R"({"command":"clear","id":"none"})"), HasSubstr("none"));
  EXPECT_THAT(error(R"({"command":"seed"})"), HasSubstr("value is missing"));
  EXPECT_THAT(error(R"({"command":"capture","port":0})"), HasSubstr("path is missing"));
  EXPECT_THAT(error(R"({"command":"capture","port":0,"path":"no/such/a.pcap"})"),
              HasSubstr("no/such/a.pcap"));
}

TEST_F(Control, a_refused_command_changes_nothing) {
  error(R"({"command":"cut","port":0,"speed":9})");
  error(R"({"command":"fault","port":0,"action":"drop","match":{"vlan":9999}})");
  EXPECT_EQ(switch_.port(0)["cut"], "none");
  EXPECT_EQ(switch_.port(0)["faults"], json::array());
}

TEST_F(Control, answers_bytes_that_are_no_text) {
  EXPECT_THAT(error("{\"command\":\"\xff\xfe\"}"), HasSubstr("not one JSON object"));
}

TEST_F(Control, answers_several_lines_of_one_write_in_order) {
  const auto first = switch_.ask_line("{\"command\":\"seed\",\"value\":5}\n{\"command\":\"macs\"}");
  EXPECT_EQ(json::parse(first)["value"], 5);
  EXPECT_TRUE(json::parse(switch_.ask_line("")).contains("macs"));
}

TEST_F(Control, closes_on_an_endless_line_and_goes_on) {
  EXPECT_EQ(switch_.ask_line(std::string(70'000, ' ')), "connection closed");
  EXPECT_EQ(switch_.port(0)["port"], 0);
}

}  // namespace
}  // namespace rocelane::test
