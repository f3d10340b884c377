// SPDX-License-Identifier: Apache-2.0
#include "tests/process/lab-switch/switch_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "lib/base/file.h"
#include "lib/base/result.h"
#include "tests/support/program_under_test.h"

namespace rocelane::test {

namespace {

UniqueFd connect_to(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ROCELANE_CHECK(path.size() < sizeof(address.sun_path));
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ROCELANE_CHECK(
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  return socket;
}

}  // namespace

std::string switch_program() { return program_under_test(LAB_SWITCH_PROGRAM); }

SwitchProcess::SwitchProcess(std::string directory, int ports) : directory_(std::move(directory)) {
  std::array<int, 2> ends{};
  ROCELANE_CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0);
  pipe_ = UniqueFd(ends[0]);
  UniqueFd write_end(ends[1]);
  const auto log = directory_ + "/stderr";
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, write_end.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, 0600);
  std::array<std::string, 5> words{switch_program(), "--dir", directory_, "--ports",
                                   std::to_string(ports)};
  std::array<char*, 6> arguments{};
  std::transform(words.begin(), words.end(), arguments.begin(),
                 [](std::string& word) { return word.data(); });
  ROCELANE_CHECK(::posix_spawn(&pid_, arguments[0], &actions, nullptr, arguments.data(), environ) ==
                 0);
  ::posix_spawn_file_actions_destroy(&actions);
  write_end.reset();  // or the program's end would not be seen
  read_output();
}

SwitchProcess::~SwitchProcess() {
  if (pid_ > 0) {
    stop(SIGKILL);
  }
}

// Up to the end of the first line, or the program's end.
void SwitchProcess::read_output() {
  std::array<char, 64> chunk{};
  while (output_.find('\n') == std::string::npos) {
    const ssize_t got = ::read(pipe_.get(), chunk.data(), chunk.size());
    if (got <= 0) {
      return;
    }
    output_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

int SwitchProcess::stop(int signal) {
  if (signal != 0) {
    ::kill(pid_, signal);
  }
  int status = 0;
  ROCELANE_CHECK(::waitpid(std::exchange(pid_, -1), &status, 0) > 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::string SwitchProcess::errors() const {
  return read_file(directory_ + "/stderr").value_or("no output");
}

std::string SwitchProcess::ask_line(const std::string& line) {
  if (!control_.valid()) {
    control_ = connect_to(directory_ + "/control");
  }
  const auto whole = line + "\n";
  // Not all of it is taken when the switch closes the connection; then there is no answer either.
  [[maybe_unused]] const ssize_t sent =
      ::send(control_.get(), whole.data(), whole.size(), MSG_NOSIGNAL);
  std::string answer;
  char byte = 0;
  while (::recv(control_.get(), &byte, 1, 0) == 1) {
    if (byte == '\n') {
      return answer;
    }
    answer += byte;
  }
  control_.reset();
  return "connection closed";
}

nlohmann::json SwitchProcess::ask(const nlohmann::json& request) {
  return nlohmann::json::parse(ask_line(request.dump()), nullptr, false);
}

nlohmann::json SwitchProcess::command(const nlohmann::json& request) {
  auto answer = ask(request);
  EXPECT_EQ(answer["ok"], true) << request << " -> " << answer;
  return answer;
}

nlohmann::json SwitchProcess::port(int index) {
  return command({{"command", "ports"}})["ports"][static_cast<std::size_t>(index)];
}

}  // namespace rocelane::test
