// SPDX-License-Identifier: Apache-2.0
#include "node-agent/options.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lib/base/version.h"

namespace rocelane::agent {

namespace {

struct RawOptions {
  std::vector<std::string> labels;
  std::string log_level = "info";
  bool check_config = false;
};

void add_flags(CLI::App& app, Options& options, RawOptions& raw) {
  app.add_option("--config", options.config, "the cluster's configuration (ConfigMap file)");
  app.add_option("--state-dir", options.state_dir, "records, locks and the rendered configuration");
  app.add_option("--sysfs", options.sysfs, "root of sysfs");
  app.add_option("--cdi-dir", options.cdi_dir, "where CDI specs go (written into the CNI entry)");
  app.add_option("--pod-resources-socket", options.pod_resources_socket,
                 "kubelet's socket (written into the CNI entry)");
  app.add_option("--cni-bin-dir", options.cni_bin_dir, "where the runtime finds CNI programs");
  app.add_option("--cni-conf-dir", options.cni_conf_dir, "where it finds CNI configurations");
  app.add_option("--bin-source", options.bin_source, "directory with roce-cni and roce-oci-hook");
  app.add_option("--node-name", options.node_name, "this node's name")->envname("NODE_NAME");
  app.add_option("--node-label", raw.labels, "KEY=VALUE, may be given several times");
  app.add_option("--log-level", raw.log_level, "debug, info, warning or error");
  app.add_flag("--check-config", raw.check_config, "check --config, say what is wrong, and exit");
  app.set_version_flag("--version", "roce-node-agent " + std::string(version()));
}

// An empty text: fine; else what is wrong.
std::string finish(Options& options, const RawOptions& raw) {
  for (const auto& label : raw.labels) {
    const auto at = label.find('=');
    if (at == std::string::npos || at == 0) {
      return "--node-label " + label + ": want KEY=VALUE";
    }
    options.node_labels[label.substr(0, at)] = label.substr(at + 1);
  }
  const auto level = log::parse_level(raw.log_level);
  if (!level.ok()) {
    return "--log-level: " + level.error().message;
  }
  options.log_level = *level;
  if (raw.check_config) {
    options.command = Command::kCheckConfig;
  }
  if (options.command == Command::kRun && options.node_name.empty()) {
    return "--node-name or NODE_NAME is needed";
  }
  return {};
}

}  // namespace

ParsedOptions parse_options(int argc, char** argv) {
  ParsedOptions parsed;
  RawOptions raw;
  CLI::App app("Prepares a node for RoCE pods: virtual functions, configuration, CNI entry.");
  app.require_subcommand(0, 1);
  app.fallthrough();
  add_flags(app, parsed.options, raw);
  app.add_subcommand("run", "install, then keep ports and configuration right (the default)");
  const auto* install = app.add_subcommand("install", "place the programs and the CNI entry once");
  const auto* uninstall = app.add_subcommand("uninstall", "take them away");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    parsed.exit_status = app.exit(problem);
    return parsed;
  }
  if (install->parsed()) {
    parsed.options.command = Command::kInstall;
  } else if (uninstall->parsed()) {
    parsed.options.command = Command::kUninstall;
  }
  if (const auto problem = finish(parsed.options, raw); !problem.empty()) {
    static_cast<void>(std::fprintf(stderr, "roce-node-agent: %s\n", problem.c_str()));
    parsed.exit_status = 2;
  }
  return parsed;
}

}  // namespace rocelane::agent
