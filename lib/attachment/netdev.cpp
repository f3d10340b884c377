// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/netdev.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "lib/sysfs/sysfs.h"

namespace rocelane::attachment {

namespace {

using netlink::Link;
using netlink::Socket;

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

state::NetnsRef identity(const netns::NetNs& ns) {
  return {.path = {}, .device = ns.id().device, .inode = ns.id().inode};
}

bool is_same(const netns::NetNs& ns, const state::NetnsRef& recorded) {
  const auto id = identity(ns);
  return id.device == recorded.device && id.inode == recorded.inode;
}

// Kernels before 5.14 do not tell a link's parent over netlink; a sysfs of that netns does.
Result<std::optional<Link>> find_by_sysfs(const netns::NetNs& ns, Socket& socket,
                                          const std::string& device_id) {
  ROCELANE_ASSIGN_OR_RETURN(const auto view,
                            netns::run_in(ns, [] { return sysfs::Sysfs::open_detached(); }));
  ROCELANE_ASSIGN_OR_RETURN(const auto names, view.list("bus/pci/devices/" + device_id + "/net"));
  if (names.empty()) {
    return std::optional<Link>();
  }
  return netlink::find_link(socket, names.front());
}

Result<void> reshape(Socket& socket, const Link& link, const NetdevShape& shape) {
  for (const auto& name : link.alt_names) {
    // An alternative name equal to the next one would make the rename fail with EEXIST.
    ROCELANE_RETURN_IF_ERROR(netlink::remove_alt_name(socket, link.index, name)
                                 .with_context("dropping alternative name " + name));
  }
  netlink::LinkChange change{.name = std::nullopt,
                             .mtu = std::nullopt,
                             .mac = std::nullopt,
                             .up = false,
                             .master = std::nullopt,
                             .netns_fd = std::nullopt};
  if (link.name != shape.name) {
    change.name = shape.name;
  }
  if (shape.mtu && *shape.mtu != link.mtu) {
    change.mtu = shape.mtu;
  }
  if (shape.mac && *shape.mac != link.mac) {
    change.mac = shape.mac;
  }
  ROCELANE_RETURN_IF_ERROR(
      netlink::set_link(socket, link.index, change)
          .with_context(fmt::format("making {} into {}", link.name, shape.name)));
  for (const auto& name : shape.alt_names) {
    if (name != shape.name) {
      ROCELANE_RETURN_IF_ERROR(netlink::add_alt_name(socket, link.index, name)
                                   .with_context("giving alternative name " + name));
    }
  }
  return {};
}

Result<void> hand_over(Socket& socket, const Link& link, const netns::NetNs& to) {
  netlink::LinkChange change;
  change.netns_fd = to.fd();
  return netlink::set_link(socket, link.index, change);
}

Result<Link> expect_netdev(const netns::NetNs& ns, const std::string& device_id) {
  ROCELANE_ASSIGN_OR_RETURN(auto found, find_netdev(ns, device_id));
  if (!found) {
    return Error::make(Code::kNotFound, "the netdev of " + device_id + " vanished on the way");
  }
  return std::move(*found);
}

}  // namespace

Result<Socket> open_socket_in(const netns::NetNs& ns, netlink::Family family) {
  return netns::run_in(ns, [family] { return Socket::open(family); });
}

Result<std::optional<Link>> find_netdev(const netns::NetNs& ns, const std::string& device_id) {
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(ns, netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(auto links, netlink::dump_links(socket));
  bool parents_known = false;
  for (auto& link : links) {
    parents_known = parents_known || !link.parent_device.empty();
    if (link.parent_device == device_id && link.parent_bus == "pci") {
      return std::optional(std::move(link));
    }
  }
  return parents_known ? Result<std::optional<Link>>(std::optional<Link>())
                       : find_by_sysfs(ns, socket, device_id);
}

Result<std::optional<netns::NetNs>> find_recorded_netns(const state::NetnsRef& recorded,
                                                        const std::string& proc_root) {
  if (auto by_path = netns::NetNs::open(recorded.path);
      by_path.ok() && is_same(*by_path, recorded)) {
    return std::optional(std::move(*by_path));
  }
  std::error_code status;
  for (const auto& entry : std::filesystem::directory_iterator(proc_root, status)) {
    if (!is_number(entry.path().filename().string())) {
      continue;
    }
    if (auto of_process = netns::NetNs::open(entry.path().string() + "/ns/net");
        of_process.ok() && is_same(*of_process, recorded)) {
      return std::optional(std::move(*of_process));
    }
  }
  return std::optional<netns::NetNs>();
}

Result<Link> move_netdev(const netns::NetNs& from, const netns::NetNs& to, const Link& link,
                         const std::string& device_id, const NetdevShape& shape) {
  ROCELANE_ASSIGN_OR_RETURN(auto between, netns::NetNs::create());
  ROCELANE_ASSIGN_OR_RETURN(auto from_socket, open_socket_in(from, netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(hand_over(from_socket, link, between)
                               .with_context("moving " + link.name + " out of its netns"));
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(between, netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(const auto passing, expect_netdev(between, device_id));
  ROCELANE_RETURN_IF_ERROR(reshape(socket, passing, shape));
  ROCELANE_RETURN_IF_ERROR(
      hand_over(socket, passing, to).with_context("moving " + shape.name + " into its netns"));
  return expect_netdev(to, device_id);
}

}  // namespace rocelane::attachment
