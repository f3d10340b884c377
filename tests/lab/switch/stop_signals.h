// SPDX-License-Identifier: Apache-2.0
// StopSignals: SIGTERM and SIGINT as something to wait for instead of something that interrupts.
#pragma once

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::lab {

class StopSignals {
 public:
  // Blocks them for this thread and those it starts later; before anything that must be undone.
  static Result<StopSignals> block();

  // Readable once one has come.
  [[nodiscard]] int fd() const { return signals_.get(); }

 private:
  explicit StopSignals(UniqueFd signals);

  UniqueFd signals_;
};

}  // namespace rocelane::lab
