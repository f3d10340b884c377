// SPDX-License-Identifier: Apache-2.0
// roce-node-agent: prepares a node for RoCE pods and keeps it so. Exit 1: could not start or finish
// what was asked for; 2: wrong arguments.
#include <cstdio>
#include <exception>

#include "lib/base/log.h"
#include "lib/config/config.h"
#include "node-agent/agent.h"
#include "node-agent/install.h"
#include "node-agent/options.h"

namespace rocelane::agent {

namespace {

Result<void> check_config(const Options& options) {
  const auto config = config::load_config(options.config);
  return config.ok() ? Result<void>() : Result<void>(config.error());
}

Result<void> execute(const Options& options) {
  switch (options.command) {
    case Command::kInstall:
      return install(options);
    case Command::kUninstall:
      return uninstall(options);
    case Command::kCheckConfig:
      return check_config(options);
    case Command::kRun:
      break;
  }
  return run_agent(options);
}

}  // namespace

}  // namespace rocelane::agent

int main(int argc, char** argv) {
  try {
    const auto parsed = rocelane::agent::parse_options(argc, argv);
    if (parsed.exit_status) {
      return *parsed.exit_status;
    }
    rocelane::log::set_level(parsed.options.log_level);
    const auto done = rocelane::agent::execute(parsed.options);
    if (!done.ok()) {
      rocelane::log::error("failed", {{"err", done.error().message}});
      return 1;
    }
    return 0;
  } catch (const std::exception& problem) {
    static_cast<void>(std::fprintf(stderr, "roce-node-agent: %s\n", problem.what()));
    return 1;
  }
}
