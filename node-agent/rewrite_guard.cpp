// SPDX-License-Identifier: Apache-2.0
#include "node-agent/rewrite_guard.h"

namespace rocelane::agent {

void RewriteGuard::note(Clock::time_point now) {
  recent_.push_back(now);
  if (recent_.size() > kLimit) {
    recent_.pop_front();
  }
}

bool RewriteGuard::fighting(Clock::time_point now) const {
  return recent_.size() == kLimit && now - recent_.front() < kWindow;
}

}  // namespace rocelane::agent
