// SPDX-License-Identifier: Apache-2.0
#include "cni/oci-hook/memlock.h"

#include <algorithm>
#include <cerrno>
#include <string>

namespace rocelane::hook {

// RLIM_INFINITY is the largest rlim_t (getrlimit(2)), so plain comparison orders limits.
Result<void> raise_memlock(pid_t pid, rlim_t bytes) {
  const auto what = "RLIMIT_MEMLOCK of process " + std::to_string(pid);
  rlimit now{};
  if (::prlimit(pid, RLIMIT_MEMLOCK, nullptr, &now) != 0) {
    return Error::from_errno(errno, "reading " + what);
  }
  const rlimit wanted{.rlim_cur = std::max(now.rlim_cur, bytes),
                      .rlim_max = std::max(now.rlim_max, bytes)};
  if (::prlimit(pid, RLIMIT_MEMLOCK, &wanted, nullptr) != 0) {
    return Error::from_errno(errno, "raising " + what);
  }
  return {};
}

}  // namespace rocelane::hook
