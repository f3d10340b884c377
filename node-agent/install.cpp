// SPDX-License-Identifier: Apache-2.0
#include "node-agent/install.h"

#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/state/store.h"
#include "node-agent/binary.h"

namespace rocelane::agent {

namespace {

constexpr std::string_view kCniProgram = "roce-cni";
constexpr std::string_view kHookProgram = "roce-oci-hook";

struct Program {
  std::string source;
  std::string target;
};

std::vector<Program> programs(const Options& options) {
  const auto from = [&](std::string_view name) {
    return options.bin_source + "/" + std::string(name);
  };
  return {{from(kHookProgram), options.state_dir + "/bin/" + std::string(kHookProgram)},
          {from(kCniProgram), options.cni_bin_dir + "/" + std::string(kCniProgram)}};
}

std::string marker(const Options& options) { return options.state_dir + "/uninstalled"; }

Result<void> place(const Program& program) {
  ROCELANE_ASSIGN_OR_RETURN(const bool written, install_binary(program.source, program.target));
  if (written) {
    log::info("program installed", {{"path", program.target}});
  }
  return {};
}

std::string unless_default(const std::string& value, std::string_view standard) {
  return value == standard ? "" : value;
}

}  // namespace

Result<void> install_programs(const Options& options) {
  for (const auto& program : programs(options)) {
    ROCELANE_RETURN_IF_ERROR(place(program));
  }
  return remove_file(marker(options));
}

Result<void> restore_programs(const Options& options) {
  for (const auto& program : programs(options)) {
    if (::access(program.target.c_str(), X_OK) != 0) {
      ROCELANE_RETURN_IF_ERROR(place(program));
    }
  }
  return {};
}

bool is_uninstalled(const Options& options) { return ::access(marker(options).c_str(), F_OK) == 0; }

cni::ChainedEntry chained_entry(const Options& options) {
  return {
      .config_file = unless_default(options.state_dir + "/config.json", config::kRenderedConfig),
      .state_dir = unless_default(options.state_dir, config::kStateDir),
      .cdi_dir = unless_default(options.cdi_dir, config::kCdiDir),
      .sysfs_root = unless_default(options.sysfs, config::kSysfsRoot),
      .pod_resources_socket =
          unless_default(options.pod_resources_socket, config::kPodResourcesSocket),
      .log_level = "",
  };
}

Result<void> install(const Options& options) {
  ROCELANE_RETURN_IF_ERROR(install_programs(options).with_context("installing programs"));
  ROCELANE_ASSIGN_OR_RETURN(const auto outcome,
                            ensure_chained(options.cni_conf_dir, chained_entry(options)));
  if (outcome.state == ChainOutcome::State::kNoNetwork) {
    log::warn("no primary network yet; the running agent will add the entry",
              {{"directory", options.cni_conf_dir}});
  } else if (outcome.state == ChainOutcome::State::kWritten) {
    log::info("CNI entry added", {{"path", outcome.path}});
  }
  return {};
}

Result<void> uninstall(const Options& options) {
  ROCELANE_RETURN_IF_ERROR(make_directories(options.state_dir));
  ROCELANE_RETURN_IF_ERROR(write_file_atomic(marker(options), "", Durability::kDisk));
  ROCELANE_ASSIGN_OR_RETURN(const auto changed, remove_chained(options.cni_conf_dir));
  for (const auto& path : changed) {
    log::info("CNI entry removed", {{"path", path}});
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto held, state::Store::read_only(options.state_dir).list());
  if (!held.records.empty() || !held.damaged.empty()) {
    log::warn("programs stay: pods still hold devices; uninstall again when they are gone",
              {{"attachments", std::to_string(held.records.size() + held.damaged.size())}});
    return {};
  }
  for (const auto& program : programs(options)) {
    ROCELANE_RETURN_IF_ERROR(remove_file(program.target));
    log::info("program removed", {{"path", program.target}});
  }
  return {};
}

}  // namespace rocelane::agent
