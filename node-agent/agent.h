// SPDX-License-Identifier: Apache-2.0
// The running agent: one Asio thread that owns all state and keeps three things right, each looked
// at again when something changed and every few seconds: the rendered configuration, the CNI entry,
// the ports.
#pragma once

#include "lib/base/result.h"
#include "node-agent/options.h"

namespace rocelane::agent {

// Installs, then runs until SIGTERM or SIGINT; nothing is removed at the end. An error: it could
// not start.
Result<void> run_agent(const Options& options);

}  // namespace rocelane::agent
