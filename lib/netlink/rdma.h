// SPDX-License-Identifier: Apache-2.0
// RDMA devices over NETLINK_RDMA, client NLDEV (rdma/rdma_netlink.h). Open the socket with
// Family::kRdma; a kernel without the RDMA core answers kUnsupported there. In exclusive netns mode
// a socket sees the devices of its own netns only, in shared mode every device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/if_index.h"
#include "lib/base/result.h"
#include "lib/netlink/socket.h"

namespace rocelane::netlink {

struct RdmaDevice {
  std::uint32_t index = 0;
  std::string name;
  std::uint64_t node_guid = 0;  // host order; 0: not initialised
  std::uint32_t ports = 0;
  std::string protocol;  // "roce", "ib", "iw"; empty on kernels before 5.2

  bool operator==(const RdmaDevice&) const = default;
};

enum class RdmaPortState : std::uint8_t { kNop, kDown, kInit, kArmed, kActive, kActiveDefer };

struct RdmaPort {
  std::uint32_t port = 0;
  RdmaPortState state = RdmaPortState::kNop;
  std::uint8_t physical_state = 0;
  std::optional<IfIndex> netdev;  // absent when the netdev is in another netns than the socket
  std::string netdev_name;

  bool operator==(const RdmaPort&) const = default;
};

struct CharDevice {
  std::string name;  // "uverbs3"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t driver = 0;  // enum rdma_driver_id (rdma/ib_user_ioctl_verbs.h); 0: not said

  bool operator==(const CharDevice&) const = default;
};

enum class RdmaNetnsMode { kShared, kExclusive };

Result<RdmaDevice> parse_rdma_device(std::span<const std::uint8_t> payload);
Result<RdmaPort> parse_rdma_port(std::span<const std::uint8_t> payload);
Result<CharDevice> parse_char_device(std::span<const std::uint8_t> payload);
Result<RdmaNetnsMode> parse_rdma_netns_mode(std::span<const std::uint8_t> payload);

Result<std::vector<RdmaDevice>> dump_rdma_devices(Socket& socket);
Result<std::optional<RdmaDevice>> find_rdma_device(Socket& socket, std::string_view name);
// A device that is not there: kNotFound.
Result<std::vector<RdmaPort>> dump_rdma_ports(Socket& socket, std::uint32_t device);

// NLDEV_CMD_NEWLINK / DELLINK: a soft device ("rxe", "siw") on a netdev of the socket's netns.
// kAlreadyExists when the name or the netdev is taken; kUnsupported when the module is missing. In
// exclusive mode the kernel gives the new device to the initial netns, whatever the socket's (seen
// on 7.3): find it there and move it.
Result<void> add_rdma_link(Socket& socket, std::string_view name, std::string_view type,
                           std::string_view netdev);
// Already gone is success; hardware devices cannot be removed: kInvalidInput.
Result<void> remove_rdma_link(Socket& socket, std::uint32_t device);

// NLDEV_CMD_SET with NET_NS_FD: exclusive mode only (shared: kUnsupported). The descriptor is
// borrowed. The calling thread, not only the socket, has to be in the device's netns: call it in
// NetNs::run_in() (the kernel compares with the caller's own; else kInvalidInput). A device that is
// not there: kNotFound, here and for the rename.
Result<void> move_rdma_device(Socket& socket, std::uint32_t device, int netns_fd);
Result<void> rename_rdma_device(Socket& socket, std::uint32_t device, std::string_view name);

// NLDEV_CMD_GET_CHARDEV, client "uverbs": the node that opens this device. Absent: nullopt.
Result<std::optional<CharDevice>> find_uverbs(Socket& socket, std::uint32_t device);

Result<RdmaNetnsMode> get_rdma_netns_mode(Socket& socket);
// EBUSY (kBusy) while any other netns exists.
Result<void> set_rdma_netns_mode(Socket& socket, RdmaNetnsMode mode);

}  // namespace rocelane::netlink
