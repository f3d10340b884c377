// SPDX-License-Identifier: Apache-2.0
// The plugin's command line. CLI11 stays behind options.cpp.
#pragma once

#include <optional>
#include <string>

#include "lib/base/log.h"
#include "lib/config/config.h"

namespace rocelane::plugin {

struct Options {
  std::string config{config::kRenderedConfig};
  std::string plugin_dir{config::kDevicePluginDir};
  std::string sysfs{config::kSysfsRoot};
  std::string state_dir{config::kStateDir};
  log::Level log_level = log::Level::kInfo;
  bool check_config = false;
};

struct ParsedOptions {
  Options options;
  std::optional<int> exit_status;  // --help and --version: 0; wrong arguments: 2. All were printed.
};

ParsedOptions parse_options(int argc, char** argv);

}  // namespace rocelane::plugin
