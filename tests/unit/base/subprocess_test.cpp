// SPDX-License-Identifier: Apache-2.0
#include "lib/base/subprocess.h"

#include <csignal>
#include <filesystem>
#include <fstream>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr std::size_t kMegabyte = std::size_t{1024} * 1024;

Result<SubprocessOutcome> shell(const std::string& script, std::string input = {},
                                milliseconds limit = milliseconds(30'000)) {
  return run_subprocess({.path = "/bin/sh",
                         .arguments = {"-c", script},
                         .environment = {"PATH=/usr/bin:/bin", "COLOUR=blue"},
                         .input = std::move(input),
                         .limit = limit});
}

TEST(Subprocess, gives_input_and_collects_both_outputs) {
  const auto outcome = shell("cat; echo err >&2", "hello");
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_EQ(outcome->output, "hello");
  EXPECT_EQ(outcome->error_output, "err\n");
}

TEST(Subprocess, environment_is_the_given_one_and_no_other) {
  ASSERT_EQ(::setenv("ROCELANE_TEST_LEAK", "1", 1), 0);
  const auto outcome = shell("echo $COLOUR$ROCELANE_TEST_LEAK");
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->output, "blue\n");
}

TEST(Subprocess, exit_codes_are_outcomes) {
  EXPECT_EQ(shell("exit 7")->exit_code, 7);
  EXPECT_EQ(shell("kill -9 $$")->exit_code, 128 + SIGKILL);
}

TEST(Subprocess, missing_and_unexecutable_programs_are_errors) {
  const test::TempDir dir;
  EXPECT_ERROR(run_subprocess({.path = dir / "absent"}), Code::kNotFound);
  std::ofstream(dir / "plain") << "#!/bin/sh\n";
  EXPECT_ERROR(run_subprocess({.path = dir / "plain"}), Code::kPermission);
}

TEST(Subprocess, hanging_program_is_killed_and_reaped) {
  const test::TempDir dir;
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome =
      shell("echo $$ > " + dir / "pid" + "; exec sleep 100", {}, milliseconds(300));
  EXPECT_ERROR(outcome, Code::kTimeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  const auto pid = std::stoi(read_file(dir / "pid").value_or("0"));
  ASSERT_GT(pid, 0);
  EXPECT_EQ(::kill(pid, 0), -1);  // not even a zombie
}

TEST(Subprocess, program_that_closes_its_outputs_and_hangs_is_killed) {
  EXPECT_ERROR(shell("exec >&- 2>&-; sleep 100", {}, milliseconds(300)), Code::kTimeout);
}

TEST(Subprocess, large_output_is_taken_whole) {
  const auto outcome = shell("head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2");
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->output.size(), 3'000'000U);
  EXPECT_EQ(outcome->error_output.size(), 3'000'000U);
}

TEST(Subprocess, endless_output_is_stopped) {
  const auto outcome = shell("cat /dev/zero");
  EXPECT_ERROR(outcome, Code::kInvalidInput);
  EXPECT_THAT(outcome.error().message, HasSubstr("wrote more than"));
}

TEST(Subprocess, large_input_and_output_at_once_do_not_block_each_other) {
  const std::string input(4 * kMegabyte, 'x');
  const auto outcome = shell("cat", input);
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->output, input);
}

TEST(Subprocess, input_that_is_not_read_is_no_error_and_no_sigpipe) {
  const auto outcome = shell("exit 3", std::string(4 * kMegabyte, 'x'));
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->exit_code, 3);
}

TEST(Subprocess, without_input_stdin_is_at_its_end) {
  const auto outcome = shell("cat; echo done");
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->output, "done\n");
}

TEST(Subprocess, starts_with_no_signal_blocked) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &all, &before), 0);
  const auto outcome = shell("grep SigBlk /proc/self/status");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_OK(outcome);
  EXPECT_THAT(outcome->output, HasSubstr("0000000000000000"));
}

}  // namespace
}  // namespace rocelane
