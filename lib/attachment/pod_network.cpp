// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/pod_network.h"

#include <fcntl.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <utility>

#include "lib/attachment/netdev.h"
#include "lib/base/deadline.h"
#include "lib/base/unique_fd.h"
#include "lib/netlink/address.h"
#include "lib/netlink/route.h"

namespace rocelane::attachment {

namespace {

struct Sysctl {
  const char* path;  // below net/, with the interface between the two parts
  const char* leaf;
  const char* value;
};

// Several interfaces may share one subnet (rails): each answers ARP for its own address only, with
// its own address, and a reply may come in on another one (Documentation/networking/ip-sysctl.rst).
// arp_notify and ndisc_notify: peers that know the address under the MAC of its last owner learn
// the new one when the link comes up.
constexpr std::array kSysctls{
    Sysctl{.path = "ipv4/conf", .leaf = "arp_ignore", .value = "1"},
    Sysctl{.path = "ipv4/conf", .leaf = "arp_announce", .value = "2"},
    Sysctl{.path = "ipv4/conf", .leaf = "rp_filter", .value = "2"},
    Sysctl{.path = "ipv4/conf", .leaf = "arp_notify", .value = "1"},
    Sysctl{.path = "ipv6/conf", .leaf = "ndisc_notify", .value = "1"},
};

// /proc/sys/net shows the netns of the calling thread (namespaces(7)).
Result<void> write_sysctls(const std::string& proc_root, const std::string& if_name) {
  for (const auto& sysctl : kSysctls) {
    const auto path = proc_root + "/sys/net/" + sysctl.path + "/" + if_name + "/" + sysctl.leaf;
    const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (!fd.valid() && errno == ENOENT) {
      continue;  // a kernel without that protocol
    }
    if (!fd.valid() || ::write(fd.get(), sysctl.value, 1) != 1) {
      return Error::from_errno(errno, "setting " + path);
    }
  }
  return {};
}

Result<void> add_addresses(netlink::Socket& socket, IfIndex index, const cni::AddResult& result) {
  for (const auto& ip : result.ips) {
    const netlink::Address address{
        .index = index,
        .prefix = ip.address,
        .scope = RT_SCOPE_UNIVERSE,
        .flags = ip.address.address.v6 ? static_cast<std::uint32_t>(IFA_F_NODAD) : 0U};
    ROCELANE_RETURN_IF_ERROR(netlink::add_address(socket, address)
                                 .with_context("adding address " + ip.address.to_string()));
  }
  return {};
}

// A route without a gateway of its own takes that of the address of its family (CNI specification,
// section "Success", `routes`).
std::optional<IpAddress> gateway_for(const cni::ResultRoute& route, const cni::AddResult& result) {
  if (route.gateway) {
    return route.gateway;
  }
  for (const auto& ip : result.ips) {
    if (ip.gateway && ip.gateway->v6 == route.dst.address.v6) {
      return ip.gateway;
    }
  }
  return std::nullopt;
}

Result<void> add_routes(netlink::Socket& socket, IfIndex index, const cni::AddResult& result) {
  for (const auto& wanted : result.routes) {
    netlink::Route route;
    route.destination = wanted.dst.network();
    route.gateway = gateway_for(wanted, result);
    route.out = index;
    route.table = wanted.table.value_or(RT_TABLE_MAIN);
    route.scope = wanted.scope.value_or(route.gateway ? RT_SCOPE_UNIVERSE : RT_SCOPE_LINK);
    route.mtu = wanted.mtu;
    route.advmss = wanted.advmss;
    route.priority = wanted.priority;
    ROCELANE_RETURN_IF_ERROR(
        netlink::add_route(socket, route).with_context("adding route " + wanted.dst.to_string()));
  }
  return {};
}

}  // namespace

Result<void> configure(const netns::NetNs& pod, const netlink::Link& link,
                       const cni::AddResult& addresses, const std::string& proc_root) {
  ROCELANE_RETURN_IF_ERROR(pod.run_in([&] { return write_sysctls(proc_root, link.name); }));
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(pod, netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(add_addresses(socket, link.index, addresses));
  netlink::LinkChange up;
  up.up = true;
  ROCELANE_RETURN_IF_ERROR(
      netlink::set_link(socket, link.index, up).with_context("bringing " + link.name + " up"));
  return add_routes(socket, link.index, addresses);
}

Result<bool> wait_for_carrier(const netns::NetNs& pod, IfIndex index,
                              std::chrono::milliseconds limit) {
  const auto deadline = Deadline::after(limit);
  // Subscribed before the first look, so that no change falls between.
  ROCELANE_ASSIGN_OR_RETURN(auto events, open_socket_in(pod, netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(events.join(RTNLGRP_LINK));
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(pod, netlink::Family::kRoute));
  while (true) {
    ROCELANE_ASSIGN_OR_RETURN(const auto link, netlink::find_link(socket, index));
    if (!link) {
      return Error::make(Code::kNotFound, "the interface vanished");
    }
    if (link->carrier) {
      return true;
    }
    if (deadline.passed()) {
      return false;
    }
    pollfd polled{.fd = events.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&polled, 1, static_cast<int>(deadline.left().count())) < 0 && errno != EINTR) {
      return Error::from_errno(errno, "poll");
    }
    // What it says does not matter (nor whether some was lost): the link is read again.
    if (auto drained = events.receive(); !drained.ok() && drained.error().code != Code::kBusy) {
      return drained.error();
    }
  }
}

}  // namespace rocelane::attachment
