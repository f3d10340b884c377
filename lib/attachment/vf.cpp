// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/vf.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "lib/netlink/socket.h"

namespace rocelane::attachment {

namespace {

using netlink::Link;
using netlink::Socket;
using netlink::VfChange;
using netlink::VfInfo;

std::optional<VfInfo> vf_of(const Link& pf, std::uint32_t index) {
  const auto found = std::find_if(pf.vfs.begin(), pf.vfs.end(),
                                  [index](const VfInfo& vf) { return vf.vf == index; });
  return found == pf.vfs.end() ? std::nullopt : std::optional(*found);
}

Result<std::optional<Link>> find_pf(const sysfs::Sysfs& sysfs, Socket& socket,
                                    const PciAddress& pf) {
  auto function = rdma::read_function(sysfs, pf);
  if (!function.ok()) {
    return function.error();
  }
  if (function->netdevs.empty()) {
    return std::optional<Link>();
  }
  return netlink::find_link(socket, function->netdevs.front(), /*with_vfs=*/true);
}

state::SavedVf save(const Link& netdev, const Link* pf, std::optional<std::uint32_t> index) {
  state::SavedVf saved{.host_name = netdev.name,
                       .alt_names = netdev.alt_names,
                       .if_index = netdev.index.value,
                       .mac = netdev.mac,
                       .mtu = netdev.mtu,
                       .up = netdev.up()};
  const auto vf = pf != nullptr && index ? vf_of(*pf, *index) : std::nullopt;
  if (!vf) {
    return saved;
  }
  saved.pf_name = pf->name;
  saved.vf_index = vf->vf;
  saved.admin_mac = vf->mac;
  saved.vlan = vf->vlan;
  saved.qos = vf->qos;
  saved.vlan_proto = vf->vlan_proto;
  saved.spoofchk = vf->spoofchk;
  saved.trust = vf->trust;
  if (vf->link_state) {
    saved.link_state = static_cast<std::uint32_t>(*vf->link_state);
  }
  saved.min_tx_rate = vf->min_tx_rate;
  saved.max_tx_rate = vf->max_tx_rate;
  return saved;
}

// The change that takes a VF from `now` to what is wanted; a field that is right already, or that
// was never asked for, stays out.
struct Wanted {
  std::optional<VfChange::Vlan> vlan;
  std::optional<MacAddress> mac;
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<std::uint32_t> link_state;
  std::optional<std::uint32_t> min_tx_rate;
  std::optional<std::uint32_t> max_tx_rate;
};

VfChange difference(const VfInfo& now, const Wanted& wanted) {
  VfChange change;
  change.vf = now.vf;
  if (wanted.vlan &&
      *wanted.vlan != VfChange::Vlan{.vlan = now.vlan, .qos = now.qos, .proto = now.vlan_proto}) {
    // QoS and protocol of VLAN 0 mean nothing; a write for them alone could only fail.
    if (wanted.vlan->vlan != 0 || now.vlan != 0) {
      change.vlan = wanted.vlan;
    }
  }
  if (wanted.mac && wanted.mac != now.mac) {
    change.mac = wanted.mac;
  }
  if (wanted.spoofchk && wanted.spoofchk != now.spoofchk) {
    change.spoofchk = wanted.spoofchk;
  }
  if (wanted.trust && wanted.trust != now.trust) {
    change.trust = wanted.trust;
  }
  if (wanted.link_state) {
    const auto state = static_cast<netlink::VfLinkState>(*wanted.link_state);
    if (now.link_state != state) {
      change.link_state = state;
    }
  }
  const VfChange::Rate rate_now{.min_mbit = now.min_tx_rate.value_or(0),
                                .max_mbit = now.max_tx_rate.value_or(0)};
  const VfChange::Rate rate{.min_mbit = wanted.min_tx_rate.value_or(rate_now.min_mbit),
                            .max_mbit = wanted.max_tx_rate.value_or(rate_now.max_mbit)};
  if (rate != rate_now) {
    change.rate = rate;
  }
  return change;
}

Wanted wanted_by(const VfSettings& settings) {
  Wanted wanted;
  if (settings.vlan) {
    wanted.vlan =
        VfChange::Vlan{.vlan = *settings.vlan, .qos = settings.qos, .proto = settings.vlan_proto};
  }
  wanted.mac = settings.mac;
  wanted.spoofchk = settings.spoofchk;
  wanted.trust = settings.trust;
  wanted.link_state = settings.link_state;
  wanted.min_tx_rate = settings.min_tx_rate;
  wanted.max_tx_rate = settings.max_tx_rate;
  return wanted;
}

Wanted wanted_by(const state::SavedVf& saved) {
  Wanted wanted;
  if (saved.vlan) {
    wanted.vlan = VfChange::Vlan{.vlan = *saved.vlan,
                                 .qos = saved.qos.value_or(0),
                                 .proto = saved.vlan_proto.value_or(0x8100)};
  }
  wanted.mac = saved.admin_mac;
  wanted.spoofchk = saved.spoofchk;
  wanted.trust = saved.trust;
  wanted.link_state = saved.link_state;
  wanted.min_tx_rate = saved.min_tx_rate;
  wanted.max_tx_rate = saved.max_tx_rate;
  return wanted;
}

// One field at a time, all of them, so that one refusal does not keep the rest from being restored.
std::vector<VfChange> single_fields(const VfChange& change) {
  std::vector<VfChange> out;
  const auto only = [&](auto fill) {
    VfChange one;
    one.vf = change.vf;
    fill(one);
    out.push_back(one);
  };
  if (change.mac) only([&](VfChange& one) { one.mac = change.mac; });
  if (change.vlan) only([&](VfChange& one) { one.vlan = change.vlan; });
  if (change.spoofchk) only([&](VfChange& one) { one.spoofchk = change.spoofchk; });
  if (change.trust) only([&](VfChange& one) { one.trust = change.trust; });
  if (change.link_state) only([&](VfChange& one) { one.link_state = change.link_state; });
  if (change.rate) only([&](VfChange& one) { one.rate = change.rate; });
  return out;
}

Result<void> check_plan(const Plan& plan, const Inspected& device) {
  if (plan.vf.mtu && device.pf && *plan.vf.mtu > device.pf->mtu) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("mtu {} is larger than the {} of PF {}; raise the port's mtu or "
                                   "lower the network's",
                                   *plan.vf.mtu, device.pf->mtu, device.pf->name));
  }
  if (!device.saved.vf_index && (plan.vf.vlan.value_or(0) != 0 || plan.vf.mac)) {
    return Error::make(
        Code::kInvalidInput,
        fmt::format("{} is not a VF: vlan and mac cannot be set on a PF", plan.device_id));
  }
  return {};
}

}  // namespace

Result<Inspected> inspect(const sysfs::Sysfs& sysfs, const Plan& plan) {
  ROCELANE_ASSIGN_OR_RETURN(const auto address, PciAddress::parse(plan.device_id));
  Inspected device;
  ROCELANE_ASSIGN_OR_RETURN(device.function, rdma::read_function(sysfs, address));
  if (device.function.driver.empty()) {
    return Error::make(Code::kNotFound, plan.device_id + " has no driver bound");
  }
  if (device.function.netdevs.empty()) {
    return Error::make(Code::kNotFound,
                       plan.device_id + " has no netdev on the host (is it in another pod?)");
  }
  ROCELANE_ASSIGN_OR_RETURN(auto socket, Socket::open(netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(auto netdev,
                            netlink::find_link(socket, device.function.netdevs.front()));
  if (!netdev) {
    return Error::make(Code::kNotFound, plan.device_id + ": its netdev vanished");
  }
  device.netdev = std::move(*netdev);
  if (device.function.pf) {
    ROCELANE_ASSIGN_OR_RETURN(device.pf, find_pf(sysfs, socket, *device.function.pf));
    if (!device.pf) {
      return Error::make(Code::kNotFound,
                         fmt::format("PF {} of {} has no netdev on the host",
                                     device.function.pf->to_string(), plan.device_id));
    }
  }
  device.saved = save(device.netdev, device.pf ? &*device.pf : nullptr, device.function.vf_index);
  ROCELANE_RETURN_IF_ERROR(check_plan(plan, device));
  return device;
}

Result<void> apply_settings(const Inspected& device, const VfSettings& settings) {
  if (!device.pf || !device.saved.vf_index) {
    return {};
  }
  const auto now = vf_of(*device.pf, *device.saved.vf_index);
  if (!now) {
    return Error::make(Code::kNotFound, fmt::format("PF {} does not report VF {}", device.pf->name,
                                                    *device.saved.vf_index));
  }
  const auto change = difference(*now, wanted_by(settings));
  ROCELANE_ASSIGN_OR_RETURN(auto socket, Socket::open(netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(netlink::set_vf(socket, device.pf->index, change));
  if (!change.vlan) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto after,
                            netlink::find_link(socket, device.pf->index, /*with_vfs=*/true));
  const auto vf = after ? vf_of(*after, *device.saved.vf_index) : std::nullopt;
  if (!vf || vf->vlan != change.vlan->vlan) {
    return Error::make(Code::kKernel, fmt::format("PF {} accepted VLAN {} for VF {} but reports {}",
                                                  device.pf->name, change.vlan->vlan,
                                                  *device.saved.vf_index, vf ? vf->vlan : 0));
  }
  return {};
}

Result<void> restore_settings(const sysfs::Sysfs& sysfs, const std::string& device_id,
                              const state::SavedVf& saved) {
  if (!saved.vf_index) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto address, PciAddress::parse(device_id));
  const auto function = rdma::read_function(sysfs, address);
  if (!function.ok()) {
    return function.error().code == Code::kNotFound ? Result<void>() : function.error();
  }
  if (!function->pf) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(auto socket, Socket::open(netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(const auto pf, find_pf(sysfs, socket, *function->pf));
  const auto now = pf ? vf_of(*pf, *saved.vf_index) : std::nullopt;
  if (!now) {
    return {};
  }
  std::string problems;
  for (const auto& change : single_fields(difference(*now, wanted_by(saved)))) {
    if (auto done = netlink::set_vf(socket, pf->index, change); !done.ok()) {
      problems += (problems.empty() ? "" : "; ") + done.error().message;
    }
  }
  return problems.empty() ? Result<void>() : Error::make(Code::kKernel, problems);
}

}  // namespace rocelane::attachment
