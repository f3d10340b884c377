// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>

#include "lib/base/subprocess.h"
#include "tests/process/device-plugin/plugin_host.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

SubprocessOutcome run_with(std::vector<std::string> arguments) {
  auto outcome = run_subprocess({.path = program_under_test(ROCE_DEVICE_PLUGIN),
                                 .arguments = std::move(arguments),
                                 .environment = {},
                                 .input = {}});
  EXPECT_OK(outcome);
  return std::move(outcome).value_or({});
}

#ifndef ROCELANE_SANITIZED  // a sanitized program is dynamic

TEST(PluginProgram, has_no_dynamic_section) {
  std::ifstream image(program_under_test(ROCE_DEVICE_PLUGIN), std::ios::binary);
  Elf64_Ehdr header{};
  ASSERT_TRUE(image.read(reinterpret_cast<char*>(&header), sizeof header));
  ASSERT_TRUE(image.seekg(static_cast<std::streamoff>(header.e_phoff)));
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    ASSERT_TRUE(image.read(reinterpret_cast<char*>(&segment), sizeof segment));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_DYNAMIC));
    EXPECT_NE(segment.p_type, static_cast<Elf64_Word>(PT_INTERP));
  }
}

// The answer of "--version" in a root file system that has the program and nothing else.
std::string version_in_empty_root(const std::string& root) {
  std::array<int, 2> ends{};
  ROCELANE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if ((::geteuid() != 0 && ::unshare(CLONE_NEWUSER) != 0) || ::chroot(root.c_str()) != 0 ||
        ::chdir("/") != 0 || ::dup2(ends[1], STDOUT_FILENO) < 0) {
      ::_exit(100);
    }
    ::execl("/roce-device-plugin", "roce-device-plugin", "--version", nullptr);
    ::_exit(101);
  }
  ::close(ends[1]);
  std::array<char, 256> answer{};
  const ssize_t size = ::read(ends[0], answer.data(), answer.size());
  ::close(ends[0]);
  int status = 0;
  ROCELANE_CHECK(::waitpid(child, &status, 0) == child);
  return WEXITSTATUS(status) == 0 ? std::string(answer.data(), static_cast<std::size_t>(size))
                                  : "exit " + std::to_string(WEXITSTATUS(status));
}

TEST(PluginProgram, runs_in_an_empty_root_file_system) {
  const TempDir root;
  std::filesystem::copy_file(program_under_test(ROCE_DEVICE_PLUGIN), root / "roce-device-plugin");
  const auto answer = version_in_empty_root(root.path());
  if (answer == "exit 100") {
    GTEST_SKIP() << "chroot(2) is not allowed here";
  }
  EXPECT_THAT(answer, StartsWith("roce-device-plugin 0."));
}

#endif

TEST(PluginProgram, says_its_version) {
  const auto outcome = run_with({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, StartsWith("roce-device-plugin 0."));
}

TEST(PluginProgram, refuses_arguments_it_does_not_know) {
  EXPECT_EQ(run_with({"--nosuch"}).exit_code, 2);
  const auto level = run_with({"--log-level", "loud"});
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_THAT(level.error_output, HasSubstr("loud"));
}

}  // namespace
}  // namespace rocelane::test
