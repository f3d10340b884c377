// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/release.h"

#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <poll.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/attachment/delegate_call.h"
#include "lib/attachment/netdev.h"
#include "lib/attachment/rdma_device.h"
#include "lib/attachment/vf.h"
#include "lib/base/deadline.h"
#include "lib/base/log.h"
#include "lib/cni/cdi_spec.h"
#include "lib/cni/delegate.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::attachment {

namespace {

using netlink::Link;

// The longest a single wait for a link event lasts before the device is looked for again: the event
// may have come before the socket was there.
constexpr std::chrono::milliseconds kLookAgain{200};

bool is_this_boot(const Host& host, const state::Record& record) {
  const auto boot = state::read_boot_id(host.proc_root);
  return boot.ok() && *boot == record.boot_id;
}

std::optional<netns::NetNs> pod_netns(const Host& host, const state::Record& record) {
  if (!is_this_boot(host, record)) {
    return std::nullopt;  // the path and the inode may name another pod's by now
  }
  auto found = find_recorded_netns(record.netns, host.proc_root);
  return found.ok() ? std::move(*found) : std::nullopt;
}

NetdevShape host_shape(const state::SavedVf& saved) {
  return {
      .name = saved.host_name, .mac = saved.mac, .mtu = saved.mtu, .alt_names = saved.alt_names};
}

bool has_shape(const Link& link, const NetdevShape& shape) {
  auto have = link.alt_names;
  auto want = shape.alt_names;
  std::sort(have.begin(), have.end());
  std::sort(want.begin(), want.end());
  return link.name == shape.name && (!shape.mac || link.mac == *shape.mac) &&
         (!shape.mtu || link.mtu == *shape.mtu) && have == want;
}

// Whether there is a netdev to wait for at all.
bool expects_netdev(const Host& host, const std::string& device_id) {
  const auto address = PciAddress::parse(device_id);
  const auto sysfs = sysfs::Sysfs::open(host.sysfs_root);
  if (!address.ok() || !sysfs.ok()) {
    return false;
  }
  const auto function = rdma::read_function(*sysfs, *address);
  return function.ok() && !function->driver.empty();
}

// The kernel tears a dead netns down in its own time; its devices arrive here when it is done.
Result<std::optional<Link>> wait_for_return(const Host& host, const netns::NetNs& home,
                                            const std::string& device_id) {
  const auto deadline = Deadline::after(kComeHomeLimit);
  ROCELANE_ASSIGN_OR_RETURN(auto events, netlink::Socket::open(netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(events.join(RTNLGRP_LINK));
  while (true) {
    ROCELANE_ASSIGN_OR_RETURN(auto link, find_netdev(home, device_id));
    if (link || !expects_netdev(host, device_id)) {
      return link;
    }
    if (deadline.passed()) {
      return Error::make(
          Code::kTimeout,
          fmt::format("the netdev of {} is in no netns that can be found; the process "
                      "that keeps it there must end first",
                      device_id));
    }
    pollfd polled{.fd = events.fd(), .events = POLLIN, .revents = 0};
    ::poll(&polled, 1, static_cast<int>(std::min(kLookAgain, deadline.left()).count()));
    events.receive().value_or({});
  }
}

Result<void> set_up(const netns::NetNs& home, const Link& link, bool up) {
  if (link.up() == up) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(home, netlink::Family::kRoute));
  netlink::LinkChange change;
  change.up = up;
  return netlink::set_link(socket, link.index, change);
}

Result<void> bring_netdev_home(const Host& host, const std::optional<netns::NetNs>& pod,
                               const state::Record& record) {
  ROCELANE_ASSIGN_OR_RETURN(const auto home, netns::NetNs::current());
  const auto shape = host_shape(record.saved);
  ROCELANE_ASSIGN_OR_RETURN(auto link, find_netdev(home, record.device_id));
  std::optional<Link> away;
  if (!link && pod) {
    ROCELANE_ASSIGN_OR_RETURN(away, find_netdev(*pod, record.device_id));
  }
  if (away) {
    ROCELANE_ASSIGN_OR_RETURN(link, move_netdev(*pod, home, *away, record.device_id, shape));
  } else if (!link) {
    ROCELANE_ASSIGN_OR_RETURN(link, wait_for_return(host, home, record.device_id));
  }
  if (!link) {
    return {};  // unplugged, or its driver was unbound
  }
  if (!has_shape(*link, shape)) {
    ROCELANE_ASSIGN_OR_RETURN(link, move_netdev(home, home, *link, record.device_id, shape));
  }
  return set_up(home, *link, record.saved.up);
}

Result<void> restore_vf(const Host& host, const state::Record& record) {
  ROCELANE_ASSIGN_OR_RETURN(const auto sysfs, sysfs::Sysfs::open(host.sysfs_root));
  return restore_settings(sysfs, record.device_id, record.saved);
}

// Runs every step; remembers what failed.
class Unwinding {
 public:
  template <typename Work>
  void step(const std::string& name, Work work) {
    if (Result<void> done = work(); !done.ok()) {
      first_ = first_.empty() ? name : first_;
      problems_ += (problems_.empty() ? "" : "; ") + ("step " + name + ": " + done.error().message);
    }
  }
  [[nodiscard]] bool clean() const { return problems_.empty(); }
  [[nodiscard]] const std::string& first() const { return first_; }
  [[nodiscard]] const std::string& problems() const { return problems_; }

 private:
  std::string first_;
  std::string problems_;
};

}  // namespace

bool netns_lives(const Host& host, const state::Record& record) {
  return pod_netns(host, record).has_value();
}

Result<void> release_locked(const Host& host, state::Record record) {
  record.phase = state::Phase::kReleasing;
  // Only a mark for readers: a full disk must not keep a device from coming home.
  if (auto saved = host.store.save(record); !saved.ok()) {
    log::warn("record not marked as releasing",
              {{"device", record.device_id}, {"err", saved.error().message}});
  }
  const auto pod = pod_netns(host, record);
  Unwinding unwinding;
  unwinding.step("cdi-spec", [&] {
    return record.cdi_spec.empty() ? Result<void>()
                                   : cni::remove_cdi_spec(record.cdi_spec, record.generation);
  });
  unwinding.step("rdma-device", [&] { return take_rdma_device_home(pod, record.rdma); });
  unwinding.step("netdev", [&] { return bring_netdev_home(host, pod, record); });
  unwinding.step("vf-settings", [&] { return restore_vf(host, record); });
  unwinding.step("ipam", [&] {
    return record.ipam.empty() ? Result<void>() : cni::ipam_del(delegate_call(host, record));
  });
  if (unwinding.clean()) {
    return host.store.remove(record);
  }
  record.step = unwinding.first();
  host.store.save(record).ignore_error();  // the mark is there; this adds only the step's name
  return Error::make(Code::kKernel, unwinding.problems());
}

Result<void> release(const Host& host, const state::Record& record,
                     std::chrono::milliseconds lock_limit) {
  ROCELANE_ASSIGN_OR_RETURN(const auto lock, host.store.lock_device(record.device_id, lock_limit));
  ROCELANE_ASSIGN_OR_RETURN(auto listing, host.store.list_container(record.container_id));
  for (auto& now : listing.records) {
    if (now.if_name == record.if_name && now.generation == record.generation) {
      return release_locked(host, std::move(now));
    }
  }
  return {};
}

}  // namespace rocelane::attachment
