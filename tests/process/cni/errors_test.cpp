// SPDX-License-Identifier: Apache-2.0
// Wrong input: every answer has the specification's code and names the place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/cni/cni_call.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

CniCall nad(const std::string& fields) {
  return {
      .command = "ADD",
      .environment = {{"CNI_CONTAINERID", "c1"},
                      {"CNI_NETNS", "/proc/self/ns/net"},
                      {"CNI_IFNAME", "net1"},
                      {"CNI_PATH", "/opt/cni/bin"}},
      .input =
          R"({"cniVersion":"1.0.0","name":"n","type":"roce-cni","stateDir":"/nonexistent/state",)" +
          fields + "}",
      .through = {}};
}

TEST(Errors, all_missing_variables_are_in_one_message) {
  const auto answer = call_cni({.command = "ADD", .environment = {}, .input = "{}", .through = {}});
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.code(), 4);
  for (const auto* name : {"CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME"}) {
    EXPECT_THAT(answer.message(), HasSubstr(name));
  }
}

TEST(Errors, what_is_not_json_is_a_decode_error) {
  auto call = nad("");
  call.input = "{\"cniVersion\":";
  EXPECT_EQ(call_cni(call).code(), 6);
}

TEST(Errors, an_unknown_version_is_named_with_the_known_ones) {
  auto call = nad("");
  call.input = R"({"cniVersion":"9.9.9","name":"n","type":"roce-cni"})";
  const auto answer = call_cni(call);
  EXPECT_EQ(answer.code(), 1);
  EXPECT_THAT(answer.message(), HasSubstr("1.1.0"));
}

TEST(Errors, every_wrong_field_is_in_one_message) {
  const auto answer = call_cni(
      nad(R"("deviceID":"0000:01:10.0","vlan":5000,"vlanQoS":9,"spoofchk":"yes","vlna":1)"));
  EXPECT_EQ(answer.code(), 7) << answer.output;
  for (const auto* place : {"$.vlan", "$.vlanQoS", "$.spoofchk", "$.vlna"}) {
    EXPECT_THAT(answer.message(), HasSubstr(place));
  }
}

TEST(Errors, neither_device_nor_previous_result_says_how_it_is_used) {
  const auto answer = call_cni(nad(R"("vlan":100)"));
  EXPECT_EQ(answer.code(), 7);
  EXPECT_THAT(answer.message(), HasSubstr("prevResult"));
}

TEST(Errors, a_state_directory_that_cannot_be_made_is_an_io_error_with_its_path) {
  auto call = nad(R"("deviceID":"0000:01:10.0")");
  const std::string wanted = "/nonexistent/state";
  call.input.replace(call.input.find(wanted), wanted.size(), "/proc/nowhere");
  const auto answer = call_cni(call);
  EXPECT_EQ(answer.code(), 5) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("/proc/nowhere"));
}

TEST(Errors, the_hosts_own_netns_and_a_path_that_is_none_are_refused) {
  const TempDir work;
  for (const auto* path : {"/proc/self/ns/net", "/etc/hostname", "/nonexistent"}) {
    auto call = nad(R"("deviceID":"0000:01:10.0")");
    const std::string wanted = "/nonexistent/state";
    call.input.replace(call.input.find(wanted), wanted.size(), work.path());
    call.environment["CNI_NETNS"] = path;
    const auto answer = call_cni(call);
    EXPECT_EQ(answer.code(), 8) << answer.output;
    EXPECT_THAT(answer.message(), HasSubstr(path));
  }
}

}  // namespace
}  // namespace rocelane::test
