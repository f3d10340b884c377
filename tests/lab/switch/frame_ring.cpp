// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/frame_ring.h"

#include <algorithm>

#include "lib/base/result.h"

namespace rocelane::lab {

FrameRing::FrameRing()
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): uninitialized storage
    : slots_(std::make_unique_for_overwrite<std::uint8_t[]>(kFrames * kMaxFrameBytes)) {}

bool FrameRing::push(std::span<const std::uint8_t> frame) {
  if (used_ == kFrames || frame.size() > kMaxFrameBytes) {
    return false;
  }
  const std::size_t slot = (first_ + used_++) % kFrames;
  std::copy(frame.begin(), frame.end(), slots_.get() + slot * kMaxFrameBytes);
  lengths_.at(slot) = frame.size();
  return true;
}

std::span<const std::uint8_t> FrameRing::front() const {
  ROCELANE_CHECK(!empty());
  return {slots_.get() + first_ * kMaxFrameBytes, lengths_.at(first_)};
}

void FrameRing::pop() {
  ROCELANE_CHECK(!empty());
  first_ = (first_ + 1) % kFrames;
  --used_;
}

}  // namespace rocelane::lab
