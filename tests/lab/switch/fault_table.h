// SPDX-License-Identifier: Apache-2.0
// FaultTable: all faults of the switch in the order they were added, and what they together do to
// a frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "tests/lab/switch/fault.h"

namespace rocelane::lab {

// What happens to one frame. A drop ends the list; otherwise everything that fired applies.
struct Verdict {
  bool drop = false;
  std::size_t copies = 1;
  std::optional<std::uint64_t> corrupt;  // the draw for corrupt_payload()
  std::optional<Fault::TimePoint> due;   // absent: at once
};

class FaultTable {
 public:
  // Seeds the same at every start: what a test saw once it sees again.
  static constexpr std::uint64_t kDefaultSeed = 1;

  // Returns its id; an empty one becomes "fault-<n>". kAlreadyExists for an id in use.
  Result<std::string> add(FaultSpec spec);
  // kNotFound for an unknown id.
  Result<void> remove(std::string_view id);
  std::size_t remove_all();
  // The same seed, the same faults added in the same order and the same frames give the same
  // decisions, whether the faults are added before or after.
  void seed(std::uint64_t seed);

  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

  Verdict decide(PortIndex port, Direction direction, const FrameHeaders& headers,
                 std::size_t length, Fault::TimePoint now);

 private:
  std::vector<Fault> faults_;
  std::mt19937_64 seeds_{kDefaultSeed};
  std::uint64_t named_ = 0;
};

}  // namespace rocelane::lab
