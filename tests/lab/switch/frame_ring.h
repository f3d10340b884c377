// SPDX-License-Identifier: Apache-2.0
// FrameRing: the egress queue of one port, first in first out, bounded, allocated once. A unix
// datagram socket takes net.unix.max_dgram_qlen frames (10 by default), less than one burst of a
// TCP window or an RC message; real switches have buffers too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "tests/lab/switch/frame.h"

namespace rocelane::lab {

class FrameRing {
 public:
  static constexpr std::size_t kFrames = 256;

  FrameRing();

  // False: full, or the frame is longer than kMaxFrameBytes; it was not taken.
  bool push(std::span<const std::uint8_t> frame);
  // Only when not empty; valid until pop().
  [[nodiscard]] std::span<const std::uint8_t> front() const;
  void pop();

  [[nodiscard]] bool empty() const { return used_ == 0; }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  // Pages of slots that were never used are never touched, so a port costs what its queue needs.
  // NOLINTNEXTLINE(modernize-avoid-c-arrays): uninitialized storage
  std::unique_ptr<std::uint8_t[]> slots_;
  std::array<std::size_t, kFrames> lengths_{};
  std::size_t first_ = 0;
  std::size_t used_ = 0;
};

}  // namespace rocelane::lab
