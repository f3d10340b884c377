// SPDX-License-Identifier: Apache-2.0
// Starting, stopping, and what is left behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "lib/base/file.h"
#include "lib/base/subprocess.h"
#include "tests/process/lab-switch/fake_vm.h"
#include "tests/process/lab-switch/switch_process.h"
#include "tests/support/ethernet_frame.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

Result<SubprocessOutcome> run(std::vector<std::string> arguments) {
  return run_subprocess({.path = switch_program(), .arguments = std::move(arguments)});
}

TEST(Lifecycle, everything_is_bound_when_it_says_ready) {
  const TempDir dir;
  const SwitchProcess running(dir.path(), 2);
  ASSERT_TRUE(running.started());
  for (const auto* name : {"sw0", "sw1", "control"}) {
    EXPECT_TRUE(exists(dir / name)) << name;
  }
  EXPECT_FALSE(exists(dir / "sw2"));
}

TEST(Lifecycle, a_stop_signal_ends_it_and_removes_its_sockets_only) {
  for (const int signal : {SIGTERM, SIGINT}) {
    const TempDir dir;
    SwitchProcess running(dir.path(), 2);
    ASSERT_TRUE(running.started());
    const FakeVm vm(dir.path(), 0);
    EXPECT_EQ(running.stop(signal), 0);
    for (const auto* name : {"sw0", "sw1", "control"}) {
      EXPECT_FALSE(exists(dir / name)) << name;
    }
    EXPECT_TRUE(exists(dir / "vm0"));
  }
}

TEST(Lifecycle, starts_over_what_a_crash_left) {
  const TempDir dir;
  SwitchProcess crashed(dir.path(), 2);
  ASSERT_TRUE(crashed.started());
  EXPECT_EQ(crashed.stop(SIGKILL), 128 + SIGKILL);
  ASSERT_TRUE(exists(dir / "sw0"));
  SwitchProcess again(dir.path(), 2);
  ASSERT_TRUE(again.started()) << again.errors();
  const FakeVm vm0(dir.path(), 0);
  const FakeVm vm1(dir.path(), 1);
  const auto frame = ethernet({}, text("x"));
  ASSERT_TRUE(vm0.send(frame));
  EXPECT_EQ(vm1.receive(), frame);
  EXPECT_EQ(again.port(0)["rx"]["frames"], 1);
}

TEST(Lifecycle, a_second_one_is_refused_and_the_first_goes_on) {
  const TempDir dir;
  SwitchProcess first(dir.path(), 2);
  ASSERT_TRUE(first.started());
  const auto second = run({"--dir", dir.path(), "--ports", "2"});
  ASSERT_OK(second);
  EXPECT_EQ(second->exit_code, 1);
  EXPECT_EQ(second->output, "");
  EXPECT_THAT(second->error_output, HasSubstr("another switch runs in " + dir.path()));
  EXPECT_TRUE(exists(dir / "sw0"));
  EXPECT_EQ(first.port(0)["port"], 0);
}

TEST(Lifecycle, does_not_replace_a_file_that_is_no_socket) {
  const TempDir dir;
  ASSERT_OK(write_file_atomic(dir / "sw1", "precious", Durability::kRename));
  const auto outcome = run({"--dir", dir.path(), "--ports", "2"});
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->exit_code, 1);
  EXPECT_THAT(outcome->error_output, HasSubstr("sw1 exists and is not a socket"));
  EXPECT_EQ(*read_file(dir / "sw1"), "precious");
  EXPECT_FALSE(exists(dir / "sw0"));
}

TEST(Lifecycle, runs_in_a_directory_with_a_path_too_long_for_a_socket) {
  const TempDir dir;
  const auto deep = dir / std::string(150, 'd');
  ASSERT_OK(make_directories(deep));
  SwitchProcess running(deep, 1);
  ASSERT_TRUE(running.started()) << running.errors();
  EXPECT_TRUE(exists(deep + "/control"));
  EXPECT_EQ(running.stop(SIGTERM), 0);
  EXPECT_FALSE(exists(deep + "/control"));
}

TEST(Lifecycle, refuses_wrong_flags) {
  const TempDir dir;
  using Words = std::vector<std::string>;
  for (const auto& words :
       {Words{"--ports", "2"}, Words{"--dir", dir.path()},
        Words{"--dir", dir.path(), "--ports", "0"}, Words{"--dir", dir.path(), "--ports", "257"},
        Words{"--dir", dir / "no", "--ports", "2"},
        Words{"--dir", dir.path(), "--ports", "2", "--speed"}}) {
    const auto outcome = run(words);
    ASSERT_OK(outcome);
    EXPECT_NE(outcome->exit_code, 0) << testing::PrintToString(words);
    EXPECT_NE(outcome->error_output, "") << testing::PrintToString(words);
  }
}

TEST(Lifecycle, tells_its_version) {
  const auto outcome = run({"--version"});
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_NE(outcome->output, "");
}

}  // namespace
}  // namespace rocelane::test
