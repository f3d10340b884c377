// SPDX-License-Identifier: Apache-2.0
// DelayQueue: copies of frames that a delay fault holds back, the earliest due first; equal times
// keep the order of arrival.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tests/lab/switch/port_index.h"

namespace rocelane::lab {

class DelayQueue {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  // One second of a 1 Gbit/s stream, twice: more is a wrong delay, not a slow wire.
  static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024 * 1024;

  struct Held {
    TimePoint due;
    std::uint64_t sequence = 0;
    PortIndex port;
    Direction direction = Direction::kIn;
    std::vector<std::uint8_t> frame;
  };

  // False: full, the frame was not taken.
  bool push(TimePoint due, PortIndex port, Direction direction,
            std::span<const std::uint8_t> frame);
  // Absent: nothing is held.
  [[nodiscard]] std::optional<TimePoint> next_due() const;
  // Absent: nothing is due at `now`.
  std::optional<Held> pop_due(TimePoint now);
  [[nodiscard]] std::size_t size() const { return heap_.size(); }

 private:
  std::vector<Held> heap_;
  std::size_t bytes_ = 0;
  std::uint64_t sequence_ = 0;
};

}  // namespace rocelane::lab
