// SPDX-License-Identifier: Apache-2.0
// EventLoop: waits for frames, due delays, control requests and signals, and hands each to its
// owner.
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "tests/lab/switch/control_server.h"
#include "tests/lab/switch/stop_signals.h"
#include "tests/lab/switch/switch.h"

namespace rocelane::lab {

class EventLoop {
 public:
  // All three are used until the loop is destroyed.
  static Result<EventLoop> create(Switch& fabric, ControlServer& control,
                                  const StopSignals& signals);

  // Until a stop signal.
  Result<void> run();

 private:
  EventLoop(UniqueFd poll, Switch& fabric, ControlServer& control);

  Result<void> watch_all(const StopSignals& signals);
  Result<void> watch(int fd, std::uint32_t events, std::uint64_t token);
  Result<void> update_send_interest();
  // False: a signal asked to stop.
  bool handle(const epoll_event& event, Switch::TimePoint now);

  UniqueFd poll_;
  Switch& fabric_;
  ControlServer& control_;
  std::vector<bool> sending_;  // by port: its send socket is watched
  Switch::TimePoint next_ageing_;
};

}  // namespace rocelane::lab
