// SPDX-License-Identifier: Apache-2.0
// This node's view of the cluster's configuration: read, checked, rendered with the node's address
// blocks, written where the other programs read it. A bad configuration changes nothing: the last
// good one stays in force.
#pragma once

#include <map>
#include <string>

#include "lib/base/result.h"
#include "lib/config/config.h"
#include "lib/config/render.h"
#include "lib/state/blocks.h"

namespace rocelane::agent {

// Pure: the numbers kept before, and for a host-local network without one (or whose subnet and
// range no longer have it) a first choice by the node's name.
Result<state::Blocks> choose_blocks(const config::Config& config, std::string_view node,
                                    const state::Blocks& kept);

class NodeConfig {
 public:
  NodeConfig(std::string source, std::string state_dir, config::Node node);

  // The last good rendered configuration of an earlier run, if there is one.
  void start_from_disk();

  // Reads the source again. True: what the node uses is now different. On error nothing changed.
  Result<bool> refresh();

  // In force now; empty until the first good one.
  [[nodiscard]] const config::Config& current() const { return current_; }
  [[nodiscard]] std::string rendered_path() const { return state_dir_ + "/config.json"; }

 private:
  Result<std::string> render();

  std::string source_;
  std::string state_dir_;
  config::Node node_;
  config::Config current_;
};

}  // namespace rocelane::agent
