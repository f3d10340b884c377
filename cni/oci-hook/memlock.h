// SPDX-License-Identifier: Apache-2.0
// RLIMIT_MEMLOCK of another process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include "lib/base/result.h"

namespace rocelane::hook {

// Soft and hard limit become at least `bytes`; a higher one stays. kNotFound: no such process.
Result<void> raise_memlock(pid_t pid, rlim_t bytes);

}  // namespace rocelane::hook
