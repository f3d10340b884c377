// SPDX-License-Identifier: Apache-2.0
// The steps in their order; what a VF should have and how it is changed is in vf_change.cpp.
#include "node-agent/port_keeper.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/log.h"
#include "node-agent/vf_change.h"

namespace rocelane::agent {

namespace {

std::string sysfs_path(const PciAddress& address) {
  return "bus/pci/devices/" + address.to_string();
}

std::optional<PortStatus> working(std::string detail) {
  return PortStatus{PortState::kWorking, std::move(detail)};
}

// A lock held by somebody is a reason to come back, anything else is an error.
Result<std::optional<PortStatus>> after_change(const Result<void>& change, std::string detail) {
  if (change.ok()) {
    return working(std::move(detail));
  }
  if (change.error().code == Code::kBusy) {
    return std::optional(PortStatus{PortState::kWaiting, change.error().message});
  }
  return change.error();
}

// Why the number of VFs cannot change now; empty: it can. What cannot be counted is busy.
std::string who_blocks(const PortView& view) {
  for (const auto& vf : view.vfs) {
    if (!vf.holder.empty()) {
      return fmt::format("pod {} holds {}", vf.holder, vf.device_id());
    }
    if (vf.elsewhere()) {
      return fmt::format("{} is in use outside this network namespace", vf.device_id());
    }
  }
  const bool unknown = view.damaged_records > 0 && !view.vfs.empty();
  return unknown ? "there are damaged attachment records" : "";
}

}  // namespace

PortKeeper::PortKeeper(std::string pf, config::Port wanted, Limits limits)
    : pf_(std::move(pf)), wanted_(std::move(wanted)), limits_(limits) {}

PortStatus PortKeeper::ensure(const PortHost& host) {
  auto view = look_at_port(host, pf_);
  if (!view.ok()) {
    const bool vanished = view.error().code == Code::kNotFound;
    return {vanished ? PortState::kWaiting : PortState::kFailed, view.error().message};
  }
  if (!*view) {
    carrier_limit_.reset();
    probed_.clear();
    rebound_.clear();
    return {PortState::kMissing, "no such network device"};
  }
  auto status = ensure_steps(host, **view);
  return status.ok() ? *status : PortStatus{PortState::kFailed, status.error().message};
}

Result<PortStatus> PortKeeper::ensure_steps(const PortHost& host, PortView& view) {
  ROCELANE_ASSIGN_OR_RETURN(const auto raised, ensure_up(host, view));
  if (raised) {
    return *raised;
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto counted, ensure_count(host, view));
  if (counted && (counted->state == PortState::kWorking || counted->state == PortState::kWaiting)) {
    return *counted;
  }
  // A number that cannot be had now is no reason to leave the VFs that are there as they are.
  for (const auto step :
       {&PortKeeper::ensure_macs, &PortKeeper::ensure_bound, &PortKeeper::ensure_effective,
        &PortKeeper::await_netdevs, &PortKeeper::ensure_mtus}) {
    ROCELANE_ASSIGN_OR_RETURN(const auto status, (this->*step)(host, view));
    if (status) {
      return *status;
    }
  }
  return counted.value_or(
      PortStatus{PortState::kReady, fmt::format("{} virtual functions", view.vfs.size())});
}

PortKeeper::Step PortKeeper::ensure_up(const PortHost& host, PortView& view) {
  netlink::LinkChange change;
  if (wanted_.mtu && *wanted_.mtu != view.pf.mtu) {
    change.mtu = wanted_.mtu;
  }
  if (!view.pf.up()) {
    change.up = true;
  }
  if (!change.mtu && !change.up) {
    return std::optional<PortStatus>();
  }
  ROCELANE_RETURN_IF_ERROR(
      host.kernel.set_link(view.pf.index, change).with_context("bringing up " + pf_));
  return working("PF brought up");
}

PortKeeper::Step PortKeeper::await_carrier(const PortView& view) {
  if (view.pf.carrier) {
    carrier_limit_.reset();
    return std::optional<PortStatus>();
  }
  if (!carrier_limit_) {
    carrier_limit_ = Deadline::after(limits_.carrier);
  }
  if (!carrier_limit_->passed()) {
    return std::optional(PortStatus{PortState::kWaiting, "no carrier yet"});
  }
  log::warn("no carrier; virtual functions are made without", {{"ifname", pf_}});
  return std::optional<PortStatus>();
}

PortKeeper::Step PortKeeper::ensure_count(const PortHost& host, const PortView& view) {
  const auto now = view.function.num_vfs;
  if (!wanted_.num_vfs || *wanted_.num_vfs == now) {
    return std::optional<PortStatus>();
  }
  const auto change = fmt::format("numVfs is {}, want {}", now, *wanted_.num_vfs);
  if (*wanted_.num_vfs > view.function.total_vfs) {
    return std::optional(
        PortStatus{PortState::kFailed,
                   fmt::format("{}: the device has at most {}", change, view.function.total_vfs)});
  }
  if (const auto blocker = who_blocks(view); !blocker.empty()) {
    return std::optional(
        PortStatus{PortState::kBlocked, fmt::format("BlockedByPods: {}: {}", change, blocker)});
  }
  ROCELANE_ASSIGN_OR_RETURN(auto waiting, await_carrier(view));
  if (waiting) {
    return waiting;
  }
  log::info(
      "changing the number of virtual functions",
      {{"ifname", pf_}, {"from", std::to_string(now)}, {"to", std::to_string(*wanted_.num_vfs)}});
  probed_.clear();
  rebound_.clear();
  return after_change(set_vf_count({host, limits_.lock}, view, *wanted_.num_vfs), change);
}

PortKeeper::Step PortKeeper::ensure_macs(const PortHost& host, const PortView& view) {
  for (const auto& vf : view.vfs) {
    const auto mac = wanted_mac(view, vf, wanted_.num_vfs.has_value());
    if (!mac || !vf.idle()) {
      continue;
    }
    log::info("setting the administrative MAC",
              {{"device", vf.device_id()}, {"mac", mac->to_string()}});
    // igb and others hand the new MAC over when the driver binds again.
    probed_.erase(vf.function.address);
    return after_change(set_admin_mac({host, limits_.lock}, view, vf, *mac), "MAC set");
  }
  return std::optional<PortStatus>();
}

PortKeeper::Step PortKeeper::ensure_bound(const PortHost& host, const PortView& view) {
  const auto autoprobe = sysfs_path(view.function.address) + "/sriov_drivers_autoprobe";
  ROCELANE_ASSIGN_OR_RETURN(const auto probing, host.sysfs.find(autoprobe));
  if (!view.vfs.empty() && probing == "0") {
    ROCELANE_RETURN_IF_ERROR(host.sysfs.write(autoprobe, "1"));
  }
  for (const auto& vf : view.vfs) {
    if (vf.bound()) {
      continue;
    }
    if (!probed_.insert(vf.function.address).second) {
      return std::optional(PortStatus{PortState::kFailed, "no driver takes " + vf.device_id()});
    }
    ROCELANE_RETURN_IF_ERROR(host.sysfs.write("bus/pci/drivers_probe", vf.device_id())
                                 .with_context("binding " + vf.device_id()));
    netdev_limit_ = Deadline::after(limits_.netdev);
    return working("driver bound");
  }
  return std::optional<PortStatus>();
}

PortKeeper::Step PortKeeper::ensure_effective(const PortHost& host, const PortView& view) {
  for (const auto& vf : view.vfs) {
    const bool differs =
        vf.netdev && vf.admin_mac && !vf.admin_mac->is_zero() && vf.netdev->mac != *vf.admin_mac;
    if (!differs || !vf.idle() || !rebound_.insert(vf.function.address).second) {
      continue;
    }
    log::info("rebinding the driver: it has another MAC than the PF gives",
              {{"device", vf.device_id()}, {"mac", vf.netdev->mac.to_string()}});
    probed_.erase(vf.function.address);
    return after_change(unbind({host, limits_.lock}, vf), "driver unbound");
  }
  return std::optional<PortStatus>();
}

PortKeeper::Step PortKeeper::await_netdevs(const PortHost& /*host*/, const PortView& view) {
  for (const auto& vf : view.vfs) {
    // One that somebody else bound is in another netns by now.
    const bool here = vf.netdev.has_value() || !vf.bound();
    if (here || !vf.holder.empty() || !probed_.contains(vf.function.address)) {
      continue;
    }
    if (netdev_limit_ && !netdev_limit_->passed()) {
      return std::optional(PortStatus{PortState::kWaiting, vf.device_id() + " has no netdev yet"});
    }
    // From here on it counts as in use elsewhere.
    log::warn("the driver is bound but shows no netdev", {{"device", vf.device_id()}});
    probed_.erase(vf.function.address);
  }
  return std::optional<PortStatus>();
}

PortKeeper::Step PortKeeper::ensure_mtus(const PortHost& host, const PortView& view) {
  for (const auto& vf : view.vfs) {
    if (!vf.netdev || !vf.idle()) {
      continue;
    }
    const auto mtu = std::min(wanted_.mtu.value_or(vf.netdev->mtu), view.pf.mtu);
    if (mtu == vf.netdev->mtu) {
      continue;
    }
    ROCELANE_RETURN_IF_ERROR(
        host.kernel.set_link(vf.netdev->index, {.mtu = mtu})
            .with_context(fmt::format("setting MTU {} of {}", mtu, vf.netdev->name)));
    return working("MTU set");
  }
  return std::optional<PortStatus>();
}

}  // namespace rocelane::agent
