// SPDX-License-Identifier: Apache-2.0
// Host programs placed by the agent while they may be running.
#pragma once

#include <string>

#include "lib/base/result.h"

namespace rocelane::agent {

// `target` becomes a copy of `source`, mode 0755, through a temporary file of the same directory
// and a rename: whoever executes it gets the old or the new program, whole, and never ETXTBSY (the
// file that is written is never the one that runs; execve(2)). False: it already was.
Result<bool> install_binary(const std::string& source, const std::string& target);

}  // namespace rocelane::agent
