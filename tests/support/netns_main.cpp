// SPDX-License-Identifier: Apache-2.0
// main() of the netns rung: not root, it becomes root of a user namespace first, so that the tests
// may create network namespaces (user_namespaces(7)). Where that is forbidden the tests skip.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <string_view>

#include "lib/base/unique_fd.h"

namespace {

bool write_text(const char* path, std::string_view text) {
  const rocelane::UniqueFd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd.valid() &&
         ::write(fd.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

bool become_namespace_root() {
  const std::string uid_map = "0 " + std::to_string(::geteuid()) + " 1";
  const std::string gid_map = "0 " + std::to_string(::getegid()) + " 1";
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS) == 0 &&
         write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", uid_map) &&
         write_text("/proc/self/gid_map", gid_map);
}

}  // namespace

int main(int argc, char** argv) {
  if (::geteuid() != 0 && !become_namespace_root()) {
    std::cerr << "no user namespace here; tests that need one will skip\n";
  }
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
