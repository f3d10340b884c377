// SPDX-License-Identifier: Apache-2.0
// Deadline: a point on the monotonic clock until which a wait may last.
#pragma once

#include <algorithm>
#include <chrono>

namespace rocelane {

class Deadline {
 public:
  static Deadline after(std::chrono::milliseconds span) {
    return Deadline(std::chrono::steady_clock::now() + span);
  }

  [[nodiscard]] bool passed() const { return std::chrono::steady_clock::now() >= at_; }

  // Never negative; what poll(2) and epoll_wait(2) take.
  [[nodiscard]] std::chrono::milliseconds left() const {
    const auto span =
        std::chrono::ceil<std::chrono::milliseconds>(at_ - std::chrono::steady_clock::now());
    return std::max(span, std::chrono::milliseconds(0));
  }

 private:
  explicit Deadline(std::chrono::steady_clock::time_point at) : at_(at) {}

  std::chrono::steady_clock::time_point at_;
};

}  // namespace rocelane
