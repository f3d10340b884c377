// SPDX-License-Identifier: Apache-2.0
// Notices that somebody else keeps undoing what we do, so that two controllers do not rewrite one
// file for ever at full speed.
#pragma once

#include <chrono>
#include <deque>

namespace rocelane::agent {

class RewriteGuard {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLimit = 10;
  static constexpr std::chrono::seconds kWindow{60};

  // One rewrite of ours happened.
  void note(Clock::time_point now);
  // kLimit rewrites lie within the last kWindow: the next one waits until the oldest is out of it.
  [[nodiscard]] bool fighting(Clock::time_point now) const;

 private:
  std::deque<Clock::time_point> recent_;  // at most kLimit, oldest first
};

}  // namespace rocelane::agent
