// SPDX-License-Identifier: Apache-2.0
// roce-device-plugin: tells kubelet which VFs this node has for RoCE pods. Exit 1: could not start,
// or --check-config found problems; 2: wrong arguments.
#include <cstdio>
#include <exception>

#include "device-plugin/options.h"
#include "device-plugin/run.h"
#include "lib/base/log.h"
#include "lib/config/config.h"

namespace rocelane::plugin {

namespace {

int check_config(const Options& options) {
  const auto loaded = config::load_config(options.config);
  if (!loaded.ok()) {
    static_cast<void>(std::fprintf(stderr, "%s\n", loaded.error().message.c_str()));
    return 1;
  }
  return 0;
}

int execute(const ParsedOptions& parsed) {
  if (parsed.exit_status) {
    return *parsed.exit_status;
  }
  log::set_level(parsed.options.log_level);
  if (parsed.options.check_config) {
    return check_config(parsed.options);
  }
  if (const auto done = run(parsed.options); !done.ok()) {
    log::error("could not start", {{"err", done.error().message}});
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace rocelane::plugin

int main(int argc, char** argv) {
  try {
    return rocelane::plugin::execute(rocelane::plugin::parse_options(argc, argv));
  } catch (const std::exception& problem) {  // Asio and gRPC may throw where memory is out
    static_cast<void>(std::fprintf(stderr, "roce-device-plugin: %s\n", problem.what()));
    return 1;
  }
}
