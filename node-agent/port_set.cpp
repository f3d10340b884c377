// SPDX-License-Identifier: Apache-2.0
#include "node-agent/port_set.h"

#include <algorithm>

#include "lib/base/log.h"

namespace rocelane::agent {

using std::chrono::milliseconds;

void PortSet::configure(const std::vector<config::Port>& ports) {
  std::map<std::string, Entry> wanted;
  for (const auto& port : ports) {
    for (const auto& pf : port.pf_names) {
      const auto known = entries_.find(pf);
      if (known != entries_.end() && known->second.port == port) {
        wanted.insert_or_assign(pf, std::move(known->second));
      } else {
        wanted.insert_or_assign(pf, Entry{port, PortKeeper(pf, port), {PortState::kWorking, ""}});
      }
    }
  }
  entries_ = std::move(wanted);
}

std::optional<milliseconds> PortSet::ensure(const PortHost& host) {
  std::optional<milliseconds> next;
  const auto within = [&](milliseconds delay) { next = std::min(next.value_or(delay), delay); };
  for (auto& [pf, entry] : entries_) {
    const auto status = entry.keeper.ensure(host);
    say(entry, status);
    if (status.state == PortState::kWorking) {
      within(milliseconds(0));
    } else if (status.state == PortState::kWaiting) {
      within(kPoll);
    }
  }
  return next;
}

// Steps on the way are for debugging; where a port ends up is said once per change.
void PortSet::say(Entry& entry, const PortStatus& status) {
  const std::string& pf = entry.keeper.pf();
  if (status.state == PortState::kWorking || status.state == PortState::kWaiting) {
    log::debug("port", {{"ifname", pf}, {"detail", status.detail}});
    return;
  }
  if (status == entry.said) {
    return;
  }
  entry.said = status;
  switch (status.state) {
    case PortState::kReady:
      log::info("port ready", {{"ifname", pf}, {"detail", status.detail}});
      break;
    case PortState::kMissing:
    case PortState::kBlocked:
      log::warn("port not as configured", {{"ifname", pf}, {"err", status.detail}});
      break;
    default:
      log::error("port not as configured", {{"ifname", pf}, {"err", status.detail}});
  }
}

}  // namespace rocelane::agent
