// SPDX-License-Identifier: Apache-2.0
// FirstProcess: what a hook gets to see as a container's first process.
#pragma once

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::test {

inline constexpr rlim_t kSmall = 64 * 1024;
inline constexpr rlim_t kHard = 8 * 1024 * 1024;
// A container's first process: without capabilities, limited, and ready to lock a buffer when told
// to. Of the test's own user, so that raising up to the hard limit needs no privilege (prlimit(2)).
class FirstProcess {
 public:
  FirstProcess() {
    std::array<int, 2> to{};
    std::array<int, 2> from{};
    ROCELANE_CHECK(::pipe2(to.data(), O_CLOEXEC) == 0 && ::pipe2(from.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    ROCELANE_CHECK(pid_ >= 0);
    if (pid_ == 0) {
      ::close(to[1]);  // the end of the test is the end of the pipe
      ::close(from[0]);
      live(to[0], from[1]);
    }
    ::close(to[0]);
    ::close(from[1]);
    command_.reset(to[1]);
    answer_.reset(from[0]);
    ROCELANE_CHECK(answer() == 0);  // limited now
  }
  FirstProcess(const FirstProcess&) = delete;
  FirstProcess& operator=(const FirstProcess&) = delete;
  FirstProcess(FirstProcess&&) = delete;
  FirstProcess& operator=(FirstProcess&&) = delete;
  ~FirstProcess() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] rlimit memlock() const {
    rlimit limit{};
    ROCELANE_CHECK(::prlimit(pid_, RLIMIT_MEMLOCK, nullptr, &limit) == 0);
    return limit;
  }
  // The errno of locking that many bytes, 0 when it works.
  int lock_buffer(std::size_t size) {
    ROCELANE_CHECK(::write(command_.get(), &size, sizeof size) == sizeof size);
    return answer();
  }

 private:
  int answer() {
    int number = -1;
    ROCELANE_CHECK(::read(answer_.get(), &number, sizeof number) == sizeof number);
    return number;
  }

  // CAP_IPC_LOCK would make every limit meaningless, CAP_SYS_RESOURCE every hard one.
  static bool drop_capabilities() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
    return ::syscall(SYS_capset, &header, none.data()) == 0;
  }

  [[noreturn]] static void live(int command, int answer) {
    rlimit limit{};
    bool ready = ::getrlimit(RLIMIT_MEMLOCK, &limit) == 0;
    limit.rlim_cur = kSmall;
    limit.rlim_max = std::min(limit.rlim_max, kHard);
    ready = ready && ::setrlimit(RLIMIT_MEMLOCK, &limit) == 0 && drop_capabilities();
    int number = ready ? 0 : errno;
    std::size_t size = 0;
    while (::write(answer, &number, sizeof number) == sizeof number &&
           ::read(command, &size, sizeof size) == sizeof size) {
      void* buffer = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      // The sanitizers' mlock(3) does nothing.
      number = ::syscall(SYS_mlock, buffer, size) == 0 ? 0 : errno;
      ::munmap(buffer, size);
    }
    ::_exit(0);
  }

  pid_t pid_ = -1;
  UniqueFd command_;
  UniqueFd answer_;
};

}  // namespace rocelane::test
