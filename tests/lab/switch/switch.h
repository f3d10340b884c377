// SPDX-License-Identifier: Apache-2.0
// Switch: a VLAN-transparent learning switch. Decides where each frame goes, with the faults of
// both wires applied; its ports do the input and output. One thread; whoever runs it calls
// receive(), flush() and release_due() when it is time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/result.h"
#include "tests/lab/switch/delay_queue.h"
#include "tests/lab/switch/fault_table.h"
#include "tests/lab/switch/frame.h"
#include "tests/lab/switch/mac_table.h"
#include "tests/lab/switch/port.h"
#include "tests/lab/switch/port_index.h"

namespace rocelane::lab {

class Switch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::uint16_t kMaxPorts = 256;

  // Binds sw0 to sw<count-1> in the working directory.
  static Result<Switch> open(std::uint16_t count);

  // Forwards what waits at the port, at most a burst, so that one VM cannot starve the others.
  void receive(PortIndex index, TimePoint now);
  void receive_all(TimePoint now);
  void release_due(TimePoint now);
  [[nodiscard]] std::optional<TimePoint> next_due() const { return delayed_.next_due(); }
  void remove_aged(TimePoint now) { stations_.remove_aged(now); }

  [[nodiscard]] std::uint16_t port_count() const {
    return static_cast<std::uint16_t>(ports_.size());
  }
  // index < port_count()
  [[nodiscard]] Port& port(PortIndex index) { return ports_.at(index.value); }
  [[nodiscard]] const Port& port(PortIndex index) const { return ports_.at(index.value); }
  [[nodiscard]] FaultTable& faults() { return faults_; }
  [[nodiscard]] const FaultTable& faults() const { return faults_; }
  [[nodiscard]] const MacTable& stations() const { return stations_; }

 private:
  using Frame = std::span<std::uint8_t>;

  explicit Switch(std::vector<Port> ports);
  void enter(PortIndex from, Frame frame, TimePoint now);
  void forward(PortIndex from, Frame frame, const FrameHeaders& headers, TimePoint now);
  void leave(PortIndex to, Frame frame, const FrameHeaders& headers, TimePoint now);
  void release(const DelayQueue::Held& held, Frame frame, TimePoint now);
  bool lost(PortIndex index, Direction direction, const Verdict& verdict);
  void hold(PortIndex index, Direction direction, Frame frame, const Verdict& verdict);

  std::vector<Port> ports_;
  MacTable stations_;
  FaultTable faults_;
  DelayQueue delayed_;
  std::vector<std::uint8_t> received_;
  std::vector<std::uint8_t> corrupted_;  // a changed copy: the original still goes to other ports
};

}  // namespace rocelane::lab
