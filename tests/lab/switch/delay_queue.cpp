// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/delay_queue.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rocelane::lab {

namespace {

// The standard heap has its largest element in front; here that is the one due first.
bool later(const DelayQueue::Held& a, const DelayQueue::Held& b) {
  return std::tie(a.due, a.sequence) > std::tie(b.due, b.sequence);
}

}  // namespace

bool DelayQueue::push(TimePoint due, PortIndex port, Direction direction,
                      std::span<const std::uint8_t> frame) {
  if (bytes_ + frame.size() > kMaxBytes) {
    return false;
  }
  bytes_ += frame.size();
  heap_.push_back({.due = due,
                   .sequence = sequence_++,
                   .port = port,
                   .direction = direction,
                   .frame = {frame.begin(), frame.end()}});
  std::push_heap(heap_.begin(), heap_.end(), later);
  return true;
}

std::optional<DelayQueue::TimePoint> DelayQueue::next_due() const {
  if (heap_.empty()) {
    return std::nullopt;
  }
  return heap_.front().due;
}

std::optional<DelayQueue::Held> DelayQueue::pop_due(TimePoint now) {
  if (heap_.empty() || heap_.front().due > now) {
    return std::nullopt;
  }
  std::pop_heap(heap_.begin(), heap_.end(), later);
  std::optional<Held> held = std::move(heap_.back());
  heap_.pop_back();
  bytes_ -= held->frame.size();
  return held;
}

}  // namespace rocelane::lab
