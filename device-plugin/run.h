// SPDX-License-Identifier: Apache-2.0
// From options to a running plugin and back: signals, loop, stop in reverse order.
#pragma once

#include "device-plugin/options.h"
#include "lib/base/result.h"

namespace rocelane::plugin {

// Runs until SIGTERM or SIGINT. SIGHUP reads configuration and devices again. Call it before any
// thread exists: the signals are blocked in all of them and read from a signalfd(2).
Result<void> run(const Options& options);

}  // namespace rocelane::plugin
