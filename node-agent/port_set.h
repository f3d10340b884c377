// SPDX-License-Identifier: Apache-2.0
// All ports of the configuration, one keeper each. A port that is missing, blocked or failing never
// holds up another one.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "node-agent/port_keeper.h"

namespace rocelane::agent {

class PortSet {
 public:
  static constexpr std::chrono::milliseconds kPoll{250};  // while a port waits for something

  // Keepers of ports that did not change keep what they know.
  void configure(const std::vector<config::Port>& ports);

  // One pass over all. When to come back; nullopt: no hurry.
  std::optional<std::chrono::milliseconds> ensure(const PortHost& host);

 private:
  struct Entry {
    config::Port port;
    PortKeeper keeper;
    PortStatus said;
  };
  static void say(Entry& entry, const PortStatus& status);

  std::map<std::string, Entry> entries_;  // by PF name
};

}  // namespace rocelane::agent
