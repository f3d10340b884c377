// SPDX-License-Identifier: Apache-2.0
// Task: one piece of work of the loop that is done again after the time it asks for, or sooner when
// something happened.
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <utility>

namespace rocelane::agent {

// Not movable: its timer calls back into it.
class Task {
 public:
  using Milliseconds = std::chrono::milliseconds;

  Task(asio::io_context& io, std::function<Milliseconds()> work)
      : timer_(io), work_(std::move(work)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  Task(Task&&) = delete;
  Task& operator=(Task&&) = delete;
  ~Task() = default;

  // At the latest after `delay`; never later than already planned, so that a stream of events
  // cannot keep the work from being done.
  void soon(Milliseconds delay) {
    if (planned_ && timer_.expiry() <= std::chrono::steady_clock::now() + delay) {
      return;
    }
    timer_.expires_after(delay);
    planned_ = true;
    timer_.async_wait([this](const asio::error_code& cancelled) {
      if (!cancelled) {
        planned_ = false;
        soon(work_());
      }
    });
  }

 private:
  asio::steady_timer timer_;
  std::function<Milliseconds()> work_;
  bool planned_ = false;
};

}  // namespace rocelane::agent
