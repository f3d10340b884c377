// SPDX-License-Identifier: Apache-2.0
// The built hook, called as a runtime calls it, on a process that is really limited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/subprocess.h"
#include "lib/state/record.h"
#include "tests/process/oci-hook/first_process.h"
#include "tests/support/program_under_test.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane {
namespace {

using test::FirstProcess;
using test::kSmall;
using testing::AllOf;
using testing::HasSubstr;

constexpr rlim_t kMore = 4 * 1024 * 1024;  // below the hard limit
constexpr std::size_t kRegistered = std::size_t{64} * 1024 * 1024;

// Above the hard limit only CAP_SYS_RESOURCE helps, which build containers often lack.
bool may_raise_hard_limits() {
  const FirstProcess victim;
  const rlimit unlimited{.rlim_cur = kSmall, .rlim_max = RLIM_INFINITY};
  return ::prlimit(victim.pid(), RLIMIT_MEMLOCK, &unlimited, nullptr) == 0;
}

constexpr pid_t kNoProcess = 0x3fffffff;  // above PID_MAX_LIMIT (linux/threads.h)

class OciHook : public testing::Test {
 protected:
  OciHook() {
    record_.generation = "g1";
    record_.container_id = "sandbox1";
    record_.if_name = "roce0";
    record_.pod = {.ns = "team", .name = "trainer-0", .uid = "u1"};
    record_.device_id = "0000:01:10.0";
    record_.phase = state::Phase::kReady;
    record_.rdma = {.device = "rxe0", .chardev = "uverbs3", .major = 231, .minor = 195};
    save();
    config_is(kGoodDevices);
  }

  void save() {
    ROCELANE_CHECK(
        write_file_atomic(dir_ / "record.json", state::encode_record(record_), Durability::kRename)
            .ok());
  }
  void config_is(const std::string& devices, const std::string& rlimits = "",
                 const std::string& sandbox = "sandbox1") {
    ROCELANE_CHECK(write_file_atomic(dir_ / "config.json",
                                     R"({"ociVersion":"1.1.0","process":{"rlimits":[)" + rlimits +
                                         R"(]},"linux":{"devices":[)" + devices +
                                         R"(]},"annotations":{"io.kubernetes.cri.sandbox-id":")" +
                                         sandbox +
                                         R"(","io.kubernetes.cri.sandbox-namespace":"team",)"
                                         R"("io.kubernetes.cri.sandbox-name":"new-pod"}})",
                                     Durability::kRename)
                       .ok());
  }
  [[nodiscard]] std::string state_of(pid_t pid) const {
    return R"({"ociVersion":"1.1.0","id":"c1","status":"creating","pid":)" + std::to_string(pid) +
           R"(,"bundle":")" + dir_.path() + R"("})";
  }

  SubprocessOutcome call(std::vector<std::string> arguments, std::string input) {
    auto outcome = run_subprocess({.path = program_,
                                   .arguments = std::move(arguments),
                                   .environment = {},
                                   .input = std::move(input)});
    EXPECT_OK(outcome);
    return outcome.ok() ? *outcome : SubprocessOutcome{.exit_code = -1};
  }
  SubprocessOutcome call_on(pid_t pid, const std::string& memlock = "unlimited") {
    auto arguments = arguments_;
    if (!memlock.empty()) {
      arguments.insert(arguments.end(), {"--memlock", memlock});
    }
    return call(arguments, state_of(pid));
  }
  // Refused on stderr with these words, and the limit not touched.
  void expect_refused(const testing::Matcher<std::string>& words) {
    const FirstProcess process;
    const auto outcome = call_on(process.pid(), std::to_string(kMore));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.error_output, words);
    EXPECT_THAT(outcome.error_output, HasSubstr("delete the pod so that it is attached again"));
    EXPECT_THAT(outcome.error_output, HasSubstr("0000:01:10.0"));
    EXPECT_EQ(std::count(outcome.error_output.begin(), outcome.error_output.end(), '\n'), 1)
        << outcome.error_output;
    EXPECT_EQ(process.memlock().rlim_cur, kSmall);
  }

  static constexpr const char* kGoodDevices =
      R"({"path":"/dev/infiniband/rdma_cm","type":"c","major":10,"minor":58},)"
      R"({"path":"/dev/infiniband/uverbs3","type":"c","major":231,"minor":195})";

  test::TempDir dir_;
  state::Record record_;
  std::string program_ = test::program_under_test(ROCELANE_OCI_HOOK);
  std::vector<std::string> arguments_{"--record", dir_ / "record.json", "--generation",
                                      "g1",       "--device-id",        "0000:01:10.0"};
};

TEST_F(OciHook, raises_the_limit_of_the_containers_first_process) {
  FirstProcess process;
  EXPECT_EQ(process.lock_buffer(kMore), ENOMEM);
  const auto outcome = call_on(process.pid(), std::to_string(kMore));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_EQ(outcome.error_output, "");
  EXPECT_EQ(process.memlock().rlim_cur, kMore);
  EXPECT_EQ(process.lock_buffer(kMore), 0);
}

TEST_F(OciHook, unlimited_lets_an_unprivileged_process_register_64_mib) {
  if (!may_raise_hard_limits()) {
    GTEST_SKIP() << "no CAP_SYS_RESOURCE: hard limits cannot be raised here";
  }
  FirstProcess process;
  EXPECT_EQ(process.lock_buffer(kRegistered), ENOMEM);
  const auto outcome = call_on(process.pid());
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_EQ(process.memlock().rlim_cur, RLIM_INFINITY);
  EXPECT_EQ(process.memlock().rlim_max, RLIM_INFINITY);
  EXPECT_EQ(process.lock_buffer(kRegistered), 0);
}

TEST_F(OciHook, never_lowers_a_limit) {
  const FirstProcess process;
  const auto hard = process.memlock().rlim_max;
  EXPECT_EQ(call_on(process.pid(), "4096").exit_code, 0);
  EXPECT_EQ(process.memlock().rlim_cur, kSmall);
  EXPECT_EQ(process.memlock().rlim_max, hard);
}

// A runtime without CAP_SYS_RESOURCE, as in a user namespace.
TEST_F(OciHook, limit_that_may_not_be_raised_stops_the_container_with_the_reason) {
  const FirstProcess process;
  const pid_t runtime = ::fork();
  ASSERT_GE(runtime, 0);
  if (runtime == 0) {
    // Fails where the capability is missing anyway.
    ::prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0);
    const auto outcome = call_on(process.pid());
    const bool refused =
        outcome.exit_code == 1 && outcome.error_output.find("RLIMIT_MEMLOCK") != std::string::npos;
    ::_exit(refused ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(runtime, &status, 0), runtime);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(process.memlock().rlim_cur, kSmall);
}

TEST_F(OciHook, limit_that_the_container_asks_for_itself_is_left_alone) {
  config_is(kGoodDevices, R"({"type":"RLIMIT_MEMLOCK","hard":65536,"soft":65536})");
  const FirstProcess process;
  const auto outcome = call_on(process.pid(), std::to_string(kMore));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_EQ(process.memlock().rlim_cur, kSmall);
}

TEST_F(OciHook, without_memlock_it_only_checks) {
  const FirstProcess process;
  EXPECT_EQ(call_on(process.pid(), "").exit_code, 0);
  EXPECT_EQ(process.memlock().rlim_cur, kSmall);
}

TEST_F(OciHook, stale_generation_stops_the_container) {
  record_.generation = "g2";
  save();
  expect_refused(AllOf(HasSubstr("team/trainer-0"), HasSubstr("generation"), HasSubstr("g2")));
}

TEST_F(OciHook, record_of_another_device_stops_the_container) {
  record_.device_id = "0000:01:10.3";
  save();
  expect_refused(AllOf(HasSubstr("device"), HasSubstr("0000:01:10.3")));
}

TEST_F(OciHook, attachment_that_is_not_ready_stops_the_container) {
  for (const auto phase :
       {state::Phase::kPlanned, state::Phase::kChanging, state::Phase::kReleasing}) {
    record_.phase = phase;
    save();
    expect_refused(HasSubstr(std::string(to_string(phase))));
  }
}

TEST_F(OciHook, attachment_of_another_sandbox_stops_the_container) {
  config_is(kGoodDevices, "", "sandbox2");
  expect_refused(AllOf(HasSubstr("sandbox2"), HasSubstr("sandbox1")));
}

TEST_F(OciHook, device_node_with_other_numbers_stops_the_container) {
  config_is(R"({"path":"/dev/infiniband/uverbs3","type":"c","major":231,"minor":192})");
  expect_refused(
      AllOf(HasSubstr("/dev/infiniband/uverbs3"), HasSubstr("231:192"), HasSubstr("231:195")));
}

TEST_F(OciHook, absent_device_node_stops_the_container) {
  config_is("");
  expect_refused(HasSubstr("/dev/infiniband/uverbs3"));
  record_.rdma.chardev = "";
  save();
  config_is(kGoodDevices);
  expect_refused(HasSubstr("/dev/infiniband/"));
}

TEST_F(OciHook, missing_record_stops_the_container_and_the_pod_is_named_by_its_annotations) {
  EXPECT_OK(remove_file(dir_ / "record.json"));
  expect_refused(AllOf(HasSubstr("team/new-pod"), HasSubstr("record.json")));
}

TEST_F(OciHook, record_cut_off_anywhere_stops_the_container) {
  const auto text = state::encode_record(record_);
  for (std::size_t length = 0; length + 1 < text.size(); length += text.size() / 7) {
    EXPECT_OK(write_file_atomic(dir_ / "record.json", text.substr(0, length), Durability::kRename));
    expect_refused(HasSubstr("damaged"));
  }
}

TEST_F(OciHook, malformed_state_is_refused) {
  for (const char* input :
       {"", "{", "[]", R"({"pid":1})", R"({"id":"c","bundle":"/b","pid":"x"})"}) {
    const auto outcome = call(arguments_, input);
    EXPECT_EQ(outcome.exit_code, 1) << input;
    EXPECT_THAT(outcome.error_output, HasSubstr("container state")) << input;
  }
}

TEST_F(OciHook, bundle_that_is_not_there_or_damaged_is_refused_by_name) {
  const FirstProcess process;
  EXPECT_OK(write_file_atomic(dir_ / "config.json", "{", Durability::kRename));
  auto outcome = call_on(process.pid());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error_output, HasSubstr(dir_ / "config.json"));
  EXPECT_OK(remove_file(dir_ / "config.json"));
  outcome = call_on(process.pid());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error_output, HasSubstr(dir_ / "config.json"));
}

TEST_F(OciHook, process_that_is_gone_is_said_to_be) {
  const auto outcome = call_on(kNoProcess);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error_output, HasSubstr("RLIMIT_MEMLOCK"));
}

TEST_F(OciHook, wrong_arguments_are_named) {
  const std::vector<std::vector<std::string>> cases{
      {},
      {"--record"},
      {"--record", "/r", "--generation", "g"},
      {"--bogus", "x"},
      {"--record", "/r", "--generation", "g", "--device-id", "d", "--memlock", "lots"}};
  for (const auto& arguments : cases) {
    const auto outcome = call(arguments, state_of(1));
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.error_output, HasSubstr("usage: roce-oci-hook"));
  }
}

TEST_F(OciHook, version_is_printed) {
  const auto outcome = call({"--version"}, "");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, testing::StartsWith("roce-oci-hook "));
}

}  // namespace
}  // namespace rocelane
