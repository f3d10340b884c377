// SPDX-License-Identifier: Apache-2.0
// Keeps one PF as the configuration wants it: up, MTU, number of VFs, their MACs, drivers and MTUs.
//
// The order is the one in which drivers take the MAC over when they bind: PF up, VFs created with
// autoprobe off, administrative MACs, autoprobe on, drivers bound. Every call looks at what is
// there and does at most one slow thing, so it can be stopped and started again anywhere; on a
// right port it changes nothing. A VF that a pod holds is left alone.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "lib/base/deadline.h"
#include "lib/base/result.h"
#include "lib/config/config.h"
#include "lib/state/store.h"
#include "lib/sysfs/sysfs.h"
#include "node-agent/kernel.h"
#include "node-agent/port_view.h"

namespace rocelane::agent {

enum class PortState {
  kReady,
  kWorking,  // something was changed: call again at once
  kWaiting,  // for the kernel or a lock: call again soon
  kMissing,  // no such PF; it may come
  kBlocked,  // pods hold VFs that would have to go
  kFailed,   // an operator has to do something; tried again now and then
};

struct PortStatus {
  PortState state = PortState::kReady;
  std::string detail;

  bool operator==(const PortStatus&) const = default;
};

class PortKeeper {
 public:
  struct Limits {
    std::chrono::milliseconds carrier{10'000};  // VFs are made without carrier after that
    std::chrono::milliseconds netdev{10'000};   // for a driver to show its netdev
    std::chrono::milliseconds lock{50};
  };

  PortKeeper(std::string pf, config::Port wanted)
      : PortKeeper(std::move(pf), std::move(wanted), Limits{}) {}
  PortKeeper(std::string pf, config::Port wanted, Limits limits);

  PortStatus ensure(const PortHost& host);

  [[nodiscard]] const std::string& pf() const { return pf_; }

 private:
  using Step = Result<std::optional<PortStatus>>;  // nullopt: nothing to do here, go on

  Result<PortStatus> ensure_steps(const PortHost& host, PortView& view);
  Step ensure_up(const PortHost& host, PortView& view);
  Step ensure_count(const PortHost& host, const PortView& view);
  Step await_carrier(const PortView& view);
  Step ensure_macs(const PortHost& host, const PortView& view);
  Step ensure_bound(const PortHost& host, const PortView& view);
  Step ensure_effective(const PortHost& host, const PortView& view);
  Step ensure_mtus(const PortHost& host, const PortView& view);
  Step await_netdevs(const PortHost& host, const PortView& view);

  std::string pf_;
  config::Port wanted_;
  Limits limits_;
  std::optional<Deadline> carrier_limit_;
  std::optional<Deadline> netdev_limit_;
  std::set<PciAddress> probed_;   // by this object, once each
  std::set<PciAddress> rebound_;  // likewise
};

}  // namespace rocelane::agent
