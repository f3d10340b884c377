// SPDX-License-Identifier: Apache-2.0
// The agent's command line. CLI11 stays behind options.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lib/base/log.h"
#include "lib/config/config.h"

namespace rocelane::agent {

enum class Command { kRun, kInstall, kUninstall, kCheckConfig };

struct Options {
  Command command = Command::kRun;
  std::string config = "/etc/rocelane/config.json";
  std::string state_dir{config::kStateDir};
  std::string sysfs{config::kSysfsRoot};
  std::string cdi_dir{config::kCdiDir};
  std::string pod_resources_socket{config::kPodResourcesSocket};
  std::string cni_bin_dir = "/opt/cni/bin";
  std::string cni_conf_dir = "/etc/cni/net.d";
  std::string bin_source = "/usr/libexec/rocelane";  // has roce-cni and roce-oci-hook
  std::string node_name;                             // or the environment's NODE_NAME
  std::map<std::string, std::string> node_labels;
  log::Level log_level = log::Level::kInfo;
};

// Either what to do, or (help, version, a wrong argument: already printed) the exit status.
struct ParsedOptions {
  Options options;
  std::optional<int> exit_status;
};
ParsedOptions parse_options(int argc, char** argv);

}  // namespace rocelane::agent
