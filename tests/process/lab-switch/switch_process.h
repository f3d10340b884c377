// SPDX-License-Identifier: Apache-2.0
// SwitchProcess: the built rocelane-lab-switch, running, with a connection to its control socket.
#pragma once

#include <sys/types.h>

#include <nlohmann/json.hpp>
#include <string>

#include "lib/base/unique_fd.h"

namespace rocelane::test {

class SwitchProcess {
 public:
  // Starts it; started() tells whether it printed `ready` or ended before.
  SwitchProcess(std::string directory, int ports);
  SwitchProcess(const SwitchProcess&) = delete;
  SwitchProcess& operator=(const SwitchProcess&) = delete;
  SwitchProcess(SwitchProcess&&) = delete;
  SwitchProcess& operator=(SwitchProcess&&) = delete;
  ~SwitchProcess();

  [[nodiscard]] bool started() const { return output_ == "ready\n"; }

  // Sends the signal (0: none) and waits for its end: exit code, or 128 + signal.
  int stop(int signal);
  // Only after stop().
  [[nodiscard]] std::string errors() const;

  // One line to the control socket, the answer to it. Every frame sent before is dealt with when
  // the answer is there.
  nlohmann::json ask(const nlohmann::json& request);
  // As ask(), whatever the line is; "connection closed" when there is no answer.
  std::string ask_line(const std::string& line);
  // ask(), which must succeed.
  nlohmann::json command(const nlohmann::json& request);
  // The counters of one port.
  nlohmann::json port(int index);

 private:
  void read_output();

  std::string directory_;
  std::string output_;
  pid_t pid_ = -1;
  UniqueFd pipe_;
  UniqueFd control_;
};

// The path of the program under test.
std::string switch_program();

}  // namespace rocelane::test
