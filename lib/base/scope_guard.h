// SPDX-License-Identifier: Apache-2.0
// ScopeGuard: runs an undo action when the scope is left, unless dismissed. dismiss() is the last
// line of success.
#pragma once

#include <utility>

namespace rocelane {

template <typename Action>
class [[nodiscard]] ScopeGuard {
 public:
  explicit ScopeGuard(Action action) : action_(std::move(action)) {}
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;
  ScopeGuard(ScopeGuard&&) = delete;
  ScopeGuard& operator=(ScopeGuard&&) = delete;
  ~ScopeGuard() {
    if (armed_) {
      action_();
    }
  }

  void dismiss() { armed_ = false; }

 private:
  Action action_;
  bool armed_ = true;
};

}  // namespace rocelane
