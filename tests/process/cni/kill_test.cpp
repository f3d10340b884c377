// SPDX-License-Identifier: Apache-2.0
// SIGKILL in the middle of ADD and of DEL: whatever was done by then, a following DEL brings the
// host back to what it was.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/process/cni/vf_test_case.h"

namespace rocelane::test {
namespace {

constexpr auto kStrace = "/usr/bin/strace";
// An ADD makes about forty requests; every boundary takes minutes on emulated CPUs, so the default
// run takes every kStride-th. The last one is past the end, where nothing is killed any more.
constexpr int kStride = 4;
constexpr int kMost = 400;

class Kill : public VfTestCase {
 protected:
  void SetUp() override {
    VfTestCase::SetUp();
    if (!IsSkipped() && ::access(kStrace, X_OK) != 0) {
      GTEST_SKIP() << "no " << kStrace;
    }
  }

  // The command is killed at its nth request to the kernel over netlink. False: it ended before
  // that.
  bool run_killed(const std::string& command, const PodSandbox& pod, int nth) {
    auto killed = call(command, pod);
    killed.through = {
        kStrace,        "-f",        "-qq",
        "-o",           "/dev/null", "-e",
        "trace=sendto", "-e",        "inject=sendto:signal=KILL:when=" + std::to_string(nth)};
    const auto answer = call_cni(killed);
    EXPECT_TRUE(answer.exit_code == 0 || answer.exit_code == 137) << answer.output << answer.log;
    return answer.exit_code != 0;
  }

  void expect_del_restores(const PodSandbox& pod, const std::vector<std::string>& before, int nth) {
    const auto answer = call_cni(call("DEL", pod));
    EXPECT_EQ(answer.exit_code, 0) << "request " << nth << ": " << answer.output << answer.log;
    EXPECT_EQ(snapshot(), before) << "killed at request " << nth;
  }
};

TEST_F(Kill, an_add_killed_at_a_kernel_request_is_undone_by_del) {
  const auto before = snapshot();
  int killed = 0;
  for (int nth = 1; nth < kMost; nth += kStride) {
    const PodSandbox pod("kill" + std::to_string(nth));
    const bool was_killed = run_killed("ADD", pod, nth);
    expect_del_restores(pod, before, nth);
    if (!was_killed || HasFailure()) {
      break;
    }
    ++killed;
  }
  EXPECT_GE(killed, 5);
}

TEST_F(Kill, a_del_killed_at_a_kernel_request_is_finished_by_the_next) {
  const auto before = snapshot();
  int killed = 0;
  for (int nth = 1; nth < kMost; nth += kStride) {
    const PodSandbox pod("late" + std::to_string(nth));
    ASSERT_EQ(call_cni(call("ADD", pod)).exit_code, 0);
    const bool was_killed = run_killed("DEL", pod, nth);
    expect_del_restores(pod, before, nth);
    if (!was_killed || HasFailure()) {
      break;
    }
    ++killed;
  }
  EXPECT_GE(killed, 3);
}

}  // namespace
}  // namespace rocelane::test
