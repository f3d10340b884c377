// SPDX-License-Identifier: Apache-2.0
// RunningProgram: a program in the background whose standard error the test reads while it runs.
// Killed and reaped with the object.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/deadline.h"
#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::test {

class RunningProgram {
 public:
  RunningProgram(const std::string& path, std::vector<std::string> arguments,
                 std::vector<std::string> environment = {}) {
    std::array<int, 2> ends{};
    ROCELANE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
    errors_.reset(ends[0]);
    const UniqueFd write_end(ends[1]);
    posix_spawn_file_actions_t actions;
    ROCELANE_CHECK(::posix_spawn_file_actions_init(&actions) == 0);
    ROCELANE_CHECK(::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDERR_FILENO) ==
                   0);
    arguments.insert(arguments.begin(), path);
    ROCELANE_CHECK(::posix_spawn(&pid_, path.c_str(), &actions, nullptr, pointers(arguments).data(),
                                 pointers(environment).data()) == 0);
    ROCELANE_CHECK(::posix_spawn_file_actions_destroy(&actions) == 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  RunningProgram(RunningProgram&&) = delete;
  RunningProgram& operator=(RunningProgram&&) = delete;
  ~RunningProgram() {
    if (!reaped_) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const { ::kill(pid_, number); }

  // Everything it has said so far.
  [[nodiscard]] const std::string& said() const { return said_; }

  // Whether it says this after what was already waited for; false when the time is over or it
  // ended.
  bool says(const std::string& text, std::chrono::milliseconds limit) {
    const auto deadline = Deadline::after(limit);
    while (true) {
      if (const auto at = said_.find(text, seen_); at != std::string::npos) {
        seen_ = at + text.size();
        return true;
      }
      if (!read_more(deadline)) {
        return false;
      }
    }
  }

  // Exit status (128 + signal), nullopt when it still runs at the end of the time.
  std::optional<int> exits(std::chrono::milliseconds limit) {
    const auto deadline = Deadline::after(limit);
    while (read_more(deadline)) {
    }
    if (!ended_) {
      return std::nullopt;
    }
    int status = 0;
    ROCELANE_CHECK(::waitpid(pid_, &status, 0) == pid_);
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  static std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (auto& text : texts) {
      list.push_back(text.data());
    }
    list.push_back(nullptr);
    return list;
  }

  // False: nothing came in time, or the program closed its standard error, which it does by ending.
  bool read_more(const Deadline& deadline) {
    pollfd wanted{.fd = errors_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&wanted, 1, static_cast<int>(deadline.left().count())) <= 0) {
      return false;
    }
    std::array<char, 4096> chunk{};
    const ssize_t n = ::read(errors_.get(), chunk.data(), chunk.size());
    if (n <= 0) {
      ended_ = true;
      return false;
    }
    said_.append(chunk.data(), static_cast<std::size_t>(n));
    return true;
  }

  pid_t pid_ = -1;
  UniqueFd errors_;
  std::string said_;
  std::size_t seen_ = 0;
  bool ended_ = false;
  bool reaped_ = false;
};

}  // namespace rocelane::test
