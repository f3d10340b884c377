// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/rdma_device.h"

#include <fmt/format.h>

#include <limits>
#include <thread>
#include <utility>

#include "lib/attachment/netdev.h"
#include "lib/base/deadline.h"
#include "lib/netlink/rdma.h"
#include "lib/rdma/names.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::attachment {

namespace {

using netlink::RdmaDevice;
using netlink::Socket;

constexpr std::uint32_t kPort = 1;  // RoCE functions have one port
// The kernel announces GID changes only to verbs contexts, so the table is read again and again:
// its first slots, where new entries go, each time, and all of it every kWholeTable-th time.
constexpr std::chrono::milliseconds kGidPause{5};
constexpr std::uint32_t kFirstSlots = 16;
constexpr int kWholeTable = 20;

std::string guid_text(std::uint64_t guid) {
  return fmt::format("{:04x}:{:04x}:{:04x}:{:04x}", guid >> 48U, (guid >> 32U) & 0xffffU,
                     (guid >> 16U) & 0xffffU, guid & 0xffffU);
}

Result<void> make_soft_device(Socket& socket, const std::string& name, const std::string& netdev) {
  auto made = netlink::add_rdma_link(socket, name, "rxe", netdev);
  if (made.ok() || made.error().code != Code::kAlreadyExists) {
    return made;
  }
  // The name is derived from a device we hold the lock of, so whoever has it is a left-over.
  ROCELANE_ASSIGN_OR_RETURN(const auto old, netlink::find_rdma_device(socket, name));
  if (!old) {
    return made;
  }
  ROCELANE_RETURN_IF_ERROR(
      netlink::remove_rdma_link(socket, old->index).with_context("removing a left-over " + name));
  return netlink::add_rdma_link(socket, name, "rxe", netdev);
}

// By name; a pod may have renamed it, so by node GUID next.
Result<std::optional<RdmaDevice>> find_device(Socket& socket, const state::RdmaRef& rdma) {
  ROCELANE_ASSIGN_OR_RETURN(auto devices, netlink::dump_rdma_devices(socket));
  for (auto& device : devices) {
    if (device.name == rdma.device) {
      return std::optional(std::move(device));
    }
  }
  for (auto& device : devices) {
    if (!rdma.node_guid.empty() && guid_text(device.node_guid) == rdma.node_guid) {
      return std::optional(std::move(device));
    }
  }
  return std::optional<RdmaDevice>();
}

Result<bool> devices_move(Socket& socket) {
  ROCELANE_ASSIGN_OR_RETURN(const auto mode, netlink::get_rdma_netns_mode(socket));
  return mode == netlink::RdmaNetnsMode::kExclusive;
}

// From the netns of the calling thread.
Result<void> move_into(const netns::NetNs& pod, const state::RdmaRef& rdma) {
  ROCELANE_ASSIGN_OR_RETURN(auto host, Socket::open(netlink::Family::kRdma));
  ROCELANE_ASSIGN_OR_RETURN(const bool move, devices_move(host));
  if (!move) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto device, find_device(host, rdma));
  if (!device) {
    return Error::make(Code::kNotFound, "RDMA device " + rdma.device + " is not on the host");
  }
  return netlink::move_rdma_device(host, device->index, pod.fd())
      .with_context("moving RDMA device " + rdma.device);
}

// In exclusive mode the kernel puts a device made through a pod's socket into the initial netns
// (seen on 7.3): it is moved like a hardware one then.
Result<void> make_in_pod(Socket& socket, const netns::NetNs& pod, const std::string& if_name,
                         const state::RdmaRef& rdma) {
  ROCELANE_RETURN_IF_ERROR(make_soft_device(socket, rdma.device, if_name));
  ROCELANE_ASSIGN_OR_RETURN(const auto made, netlink::find_rdma_device(socket, rdma.device));
  return made ? Result<void>() : move_into(pod, rdma);
}

// The kernel compares the device's netns with that of the calling thread, not of the socket.
Result<void> move_home(const netns::NetNs& pod, Socket& socket, const RdmaDevice& device) {
  ROCELANE_ASSIGN_OR_RETURN(const bool move, devices_move(socket));
  if (!move) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto host, netns::NetNs::current());
  return pod.run_in([&] { return netlink::move_rdma_device(socket, device.index, host.fd()); })
      .with_context("moving RDMA device " + device.name + " home");
}

Result<void> remove_made(Socket& socket, const RdmaDevice& device) {
  return netlink::remove_rdma_link(socket, device.index)
      .with_context("removing soft RoCE device " + device.name);
}

// Absent on a kernel without RDMA: nothing can be left there.
Result<std::optional<Socket>> open_rdma_socket(const std::optional<netns::NetNs>& ns) {
  auto socket =
      ns ? open_socket_in(*ns, netlink::Family::kRdma) : Socket::open(netlink::Family::kRdma);
  if (socket.ok()) {
    return std::optional(std::move(*socket));
  }
  if (socket.error().code == Code::kUnsupported) {
    return std::optional<Socket>();
  }
  return socket.error();
}

}  // namespace

Result<state::RdmaRef> plan_rdma_device(const Plan& plan, const Inspected& device) {
  auto socket = Socket::open(netlink::Family::kRdma);
  if (!socket.ok()) {
    return socket.error().with_context("this kernel has no RDMA (is ib_core loaded?)");
  }
  state::RdmaRef rdma;
  if (plan.type == config::PoolType::kSoftRoce) {
    rdma.device = rdma::soft_device_name(plan.device_id);
    rdma.created = true;
    return rdma;
  }
  if (device.function.rdma_devices.empty()) {
    return Error::make(Code::kNotFound, fmt::format("{} (driver {}) has no RDMA device",
                                                    plan.device_id, device.function.driver));
  }
  rdma.device = device.function.rdma_devices.front();
  rdma.host_name = rdma.device;
  ROCELANE_ASSIGN_OR_RETURN(const auto found, netlink::find_rdma_device(*socket, rdma.device));
  if (found) {
    rdma.node_guid = guid_text(found->node_guid);
  }
  return rdma;
}

Result<void> bring_rdma_device(const netns::NetNs& pod, const std::string& if_name,
                               state::RdmaRef& rdma) {
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(pod, netlink::Family::kRdma));
  if (rdma.created) {
    ROCELANE_RETURN_IF_ERROR(make_in_pod(socket, pod, if_name, rdma)
                                 .with_context("making soft RoCE device " + rdma.device));
  } else {
    ROCELANE_RETURN_IF_ERROR(move_into(pod, rdma));
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto device, netlink::find_rdma_device(socket, rdma.device));
  if (!device) {
    return Error::make(Code::kNotFound,
                       "RDMA device " + rdma.device + " is not in the pod's netns");
  }
  rdma.node_guid = guid_text(device->node_guid);
  ROCELANE_ASSIGN_OR_RETURN(const auto node, netlink::find_uverbs(socket, device->index));
  if (!node) {
    return Error::make(Code::kNotFound,
                       "RDMA device " + rdma.device + " has no uverbs node (is ib_uverbs loaded?)");
  }
  rdma.chardev = node->name;
  rdma.major = node->major;
  rdma.minor = node->minor;
  return {};
}

Result<void> take_rdma_device_home(const std::optional<netns::NetNs>& pod,
                                   const state::RdmaRef& rdma) {
  if (rdma.device.empty()) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_rdma_socket(pod));
  if (!socket) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto device, find_device(*socket, rdma));
  if (device) {
    if (rdma.created) {
      return remove_made(*socket, *device);
    }
    return pod ? move_home(*pod, *socket, *device) : Result<void>();
  }
  if (!pod || !rdma.created) {
    return {};
  }
  // Made, but not moved into the pod before its maker died.
  ROCELANE_ASSIGN_OR_RETURN(auto host, Socket::open(netlink::Family::kRdma));
  ROCELANE_ASSIGN_OR_RETURN(const auto left, netlink::find_rdma_device(host, rdma.device));
  return left ? remove_made(host, *left) : Result<void>();
}

Result<rdma::Gid> wait_for_gid(const netns::NetNs& pod, const std::string& device,
                               const IpAddress& address, const std::string& if_name,
                               std::chrono::milliseconds limit) {
  const auto deadline = Deadline::after(limit);
  ROCELANE_ASSIGN_OR_RETURN(const auto view,
                            netns::run_in(pod, [] { return sysfs::Sysfs::open_detached(); }));
  for (int round = 1;; ++round) {
    const bool whole = round % kWholeTable == 0 || deadline.passed();
    ROCELANE_ASSIGN_OR_RETURN(
        const auto gid,
        rdma::find_gid(view, device, kPort, address, if_name,
                       whole ? std::numeric_limits<std::uint32_t>::max() : kFirstSlots));
    if (gid) {
      return *gid;
    }
    if (whole && deadline.passed()) {
      return Error::make(Code::kTimeout,
                         fmt::format("{} has no RoCE v2 GID of {} on {} after {} ms", device,
                                     address.to_string(), if_name, limit.count()));
    }
    std::this_thread::sleep_for(kGidPause);
  }
}

}  // namespace rocelane::attachment
