// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "lib/base/version.h"

namespace rocelane::plugin {

namespace {

constexpr int kWrongArguments = 2;

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  ParsedOptions parsed;
  auto& options = parsed.options;
  std::string level = "info";
  CLI::App app("Tells kubelet which VFs this node has for RoCE pods.");
  app.add_option("--config", options.config, "this node's configuration, as the agent renders it");
  app.add_option("--plugin-dir", options.plugin_dir, "kubelet's device-plugins directory");
  app.add_option("--sysfs", options.sysfs, "root of sysfs");
  app.add_option("--state-dir", options.state_dir, "attachment records; devices.json goes here");
  app.add_option("--log-level", level, "debug, info, warning or error");
  app.add_flag("--check-config", options.check_config, "check --config, say what is wrong, exit");
  app.set_version_flag("--version", "roce-device-plugin " + std::string(version()));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    parsed.exit_status = app.exit(problem) == 0 ? 0 : kWrongArguments;
    return parsed;
  }
  const auto known = log::parse_level(level);
  if (!known.ok()) {
    static_cast<void>(std::fprintf(stderr, "--log-level: %s\n", known.error().message.c_str()));
    parsed.exit_status = kWrongArguments;
    return parsed;
  }
  options.log_level = *known;
  return parsed;
}

}  // namespace rocelane::plugin
