// SPDX-License-Identifier: Apache-2.0
// Owns NLDEV (rdma/rdma_netlink.h): messages have no fixed header, only attributes. The kernel
// answers EINVAL both for a malformed request and for a device index that is gone (nldev_*_doit(),
// drivers/infiniband/core/nldev.c); since the requests are well-formed, a look tells which.
#include "lib/netlink/rdma.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <algorithm>
#include <cerrno>

#include "lib/netlink/attribute.h"

namespace rocelane::netlink {

namespace {

constexpr std::size_t kDeviceNameBytes = 64;  // IB_DEVICE_NAME_MAX, with the terminating zero

Message nldev(rdma_nldev_command command) {
  return {static_cast<std::uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command)), 0};
}

Message nldev(rdma_nldev_command command, std::uint32_t device) {
  Message message = nldev(command);
  message.put_u32(RDMA_NLDEV_ATTR_DEV_INDEX, device);
  return message;
}

Result<void> check_device_name(std::string_view name) {
  // '%' would ask the kernel to choose a number (ib_register_device()).
  if (name.empty() || name.size() >= kDeviceNameBytes || name.find_first_of("%/") != name.npos) {
    return Error::make(Code::kInvalidInput, "no name for an RDMA device: " + std::string(name));
  }
  return {};
}

Result<bool> is_present(Socket& socket, std::uint32_t device) {
  ROCELANE_ASSIGN_OR_RETURN(const auto devices, dump_rdma_devices(socket));
  return std::any_of(devices.begin(), devices.end(),
                     [device](const RdmaDevice& one) { return one.index == device; });
}

// The error of a request about `device`, with kNotFound for one that is gone.
Error refusal(Socket& socket, std::uint32_t device, Error error, const char* command) {
  if (error.sys_errno == EINVAL || error.code == Code::kNotFound) {
    ROCELANE_ASSIGN_OR_RETURN(const bool present, is_present(socket, device));
    error.code = present ? Code::kInvalidInput : Code::kNotFound;
  }
  return error.with_context(std::string(command) + " device " + std::to_string(device));
}

Result<void> change(Socket& socket, std::uint32_t device, Message message, const char* command) {
  auto done = socket.acknowledge(std::move(message));
  return done.ok() ? Result<void>() : refusal(socket, device, done.error(), command);
}

// NLDEV_ATTR_CHARDEV is a dev_t in the kernel's 64-bit form: huge_encode_dev(), linux/kdev_t.h.
void decode_device_number(CharDevice& device, std::uint64_t encoded) {
  device.major = static_cast<std::uint32_t>((encoded & 0xfff00U) >> 8U);
  device.minor = static_cast<std::uint32_t>((encoded & 0xffU) | ((encoded >> 12U) & 0xfff00U));
}

Result<void> parse_port_state(RdmaPort& port, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const std::uint8_t state, attribute.u8());
  if (state > static_cast<std::uint8_t>(RdmaPortState::kActiveDefer)) {
    return Error::make(Code::kInvalidInput, "unknown port state " + std::to_string(state));
  }
  port.state = static_cast<RdmaPortState>(state);
  return {};
}

Result<void> parse_port_netdev(RdmaPort& port, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const std::uint32_t index, attribute.u32());
  port.netdev = IfIndex{static_cast<std::int32_t>(index)};
  return {};
}

Result<void> parse_port_attribute(RdmaPort& port, const Attribute& attribute) {
  switch (attribute.type) {
    case RDMA_NLDEV_ATTR_PORT_INDEX:
      return store(port.port, attribute.u32());
    case RDMA_NLDEV_ATTR_PORT_STATE:
      return parse_port_state(port, attribute);
    case RDMA_NLDEV_ATTR_PORT_PHYS_STATE:
      return store(port.physical_state, attribute.u8());
    case RDMA_NLDEV_ATTR_NDEV_INDEX:
      return parse_port_netdev(port, attribute);
    case RDMA_NLDEV_ATTR_NDEV_NAME:
      return store(port.netdev_name, attribute.text());
    default:
      return {};
  }
}

Error missing(const char* what) {
  return Error::make(Code::kInvalidInput, std::string("NLDEV answer without ") + what);
}

}  // namespace

Result<RdmaDevice> parse_rdma_device(std::span<const std::uint8_t> payload) {
  RdmaDevice device;
  ROCELANE_RETURN_IF_ERROR(
      for_each_attribute(payload, [&](const Attribute& attribute) -> Result<void> {
        switch (attribute.type) {
          case RDMA_NLDEV_ATTR_DEV_INDEX:
            return store(device.index, attribute.u32());
          case RDMA_NLDEV_ATTR_DEV_NAME:
            return store(device.name, attribute.text());
          case RDMA_NLDEV_ATTR_NODE_GUID:
            return store(device.node_guid, attribute.u64());
          case RDMA_NLDEV_ATTR_PORT_INDEX:  // in this message: the number of ports
            return store(device.ports, attribute.u32());
          case RDMA_NLDEV_ATTR_DEV_PROTOCOL:
            return store(device.protocol, attribute.text());
          default:
            return {};
        }
      }));
  return device.name.empty() ? Result<RdmaDevice>(missing("the device's name")) : device;
}

Result<RdmaPort> parse_rdma_port(std::span<const std::uint8_t> payload) {
  RdmaPort port;
  ROCELANE_RETURN_IF_ERROR(for_each_attribute(
      payload, [&](const Attribute& attribute) { return parse_port_attribute(port, attribute); }));
  return port.port == 0 ? Result<RdmaPort>(missing("the port's number")) : port;
}

Result<CharDevice> parse_char_device(std::span<const std::uint8_t> payload) {
  CharDevice device;
  std::uint64_t number = 0;
  ROCELANE_RETURN_IF_ERROR(
      for_each_attribute(payload, [&](const Attribute& attribute) -> Result<void> {
        switch (attribute.type) {
          case RDMA_NLDEV_ATTR_CHARDEV_NAME:
            return store(device.name, attribute.text());
          case RDMA_NLDEV_ATTR_CHARDEV:
            return store(number, attribute.u64());
          case RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID:
            return store(device.driver, attribute.u32());
          default:
            return {};
        }
      }));
  decode_device_number(device, number);
  const bool complete = !device.name.empty() && number != 0;
  return complete ? Result<CharDevice>(device) : missing("the character device");
}

Result<RdmaNetnsMode> parse_rdma_netns_mode(std::span<const std::uint8_t> payload) {
  std::optional<std::uint8_t> shared;
  ROCELANE_RETURN_IF_ERROR(
      for_each_attribute(payload, [&](const Attribute& attribute) -> Result<void> {
        return attribute.type == RDMA_NLDEV_SYS_ATTR_NETNS_MODE ? store(shared, attribute.u8())
                                                                : Result<void>();
      }));
  if (!shared) {
    return missing("the netns mode");
  }
  return *shared != 0 ? RdmaNetnsMode::kShared : RdmaNetnsMode::kExclusive;
}

Result<std::vector<RdmaDevice>> dump_rdma_devices(Socket& socket) {
  ROCELANE_ASSIGN_OR_RETURN(
      const auto replies,
      socket.dump(nldev(RDMA_NLDEV_CMD_GET)).with_context("NLDEV_CMD_GET, all devices"));
  std::vector<RdmaDevice> devices;
  for (const Reply& reply : replies) {
    ROCELANE_ASSIGN_OR_RETURN(RdmaDevice device,
                              parse_rdma_device(reply.payload).with_context("NLDEV_CMD_GET"));
    devices.push_back(std::move(device));
  }
  return devices;
}

// By dump: the kernel looks devices up by index only.
Result<std::optional<RdmaDevice>> find_rdma_device(Socket& socket, std::string_view name) {
  ROCELANE_ASSIGN_OR_RETURN(auto devices, dump_rdma_devices(socket));
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [name](const RdmaDevice& one) { return one.name == name; });
  return found == devices.end() ? std::nullopt : std::optional<RdmaDevice>(std::move(*found));
}

Result<std::vector<RdmaPort>> dump_rdma_ports(Socket& socket, std::uint32_t device) {
  auto replies = socket.dump(nldev(RDMA_NLDEV_CMD_PORT_GET, device));
  if (!replies.ok()) {
    return refusal(socket, device, replies.error(), "NLDEV_CMD_PORT_GET");
  }
  std::vector<RdmaPort> ports;
  for (const Reply& reply : *replies) {
    ROCELANE_ASSIGN_OR_RETURN(RdmaPort port,
                              parse_rdma_port(reply.payload).with_context("NLDEV_CMD_PORT_GET"));
    ports.push_back(std::move(port));
  }
  return ports;
}

Result<void> add_rdma_link(Socket& socket, std::string_view name, std::string_view type,
                           std::string_view netdev) {
  ROCELANE_RETURN_IF_ERROR(check_device_name(name));
  Message message = nldev(RDMA_NLDEV_CMD_NEWLINK);
  message.put_string(RDMA_NLDEV_ATTR_DEV_NAME, name);
  message.put_string(RDMA_NLDEV_ATTR_LINK_TYPE, type);
  message.put_string(RDMA_NLDEV_ATTR_NDEV_NAME, netdev);
  auto done = socket.acknowledge(std::move(message));
  if (done.ok()) {
    return {};
  }
  Error error = done.error();
  if (error.sys_errno == ENFILE) {  // the name is taken: assign_name(), core/device.c
    error.code = Code::kAlreadyExists;
  } else if (error.sys_errno == EINVAL) {  // no such type, after "rdma-link-TYPE" was asked for
    error.code = Code::kUnsupported;
  }
  return error.with_context("NLDEV_CMD_NEWLINK " + std::string(name) + " type " +
                            std::string(type) + " on " + std::string(netdev));
}

Result<void> remove_rdma_link(Socket& socket, std::uint32_t device) {
  auto done = change(socket, device, nldev(RDMA_NLDEV_CMD_DELLINK, device), "NLDEV_CMD_DELLINK");
  const bool gone = !done.ok() && done.error().code == Code::kNotFound;
  return gone ? Result<void>() : done;
}

Result<void> move_rdma_device(Socket& socket, std::uint32_t device, int netns_fd) {
  Message message = nldev(RDMA_NLDEV_CMD_SET, device);
  message.put_u32(RDMA_NLDEV_NET_NS_FD, static_cast<std::uint32_t>(netns_fd));
  auto moved = change(socket, device, std::move(message), "NLDEV_CMD_SET netns");
  if (!moved.ok() && moved.error().sys_errno == ENODEV &&
      moved.error().code == Code::kInvalidInput) {  // rdma_dev_change_netns(), core/device.c
    return moved.error().with_context("the calling thread is not in the device's netns");
  }
  return moved;
}

Result<void> rename_rdma_device(Socket& socket, std::uint32_t device, std::string_view name) {
  ROCELANE_RETURN_IF_ERROR(check_device_name(name));
  Message message = nldev(RDMA_NLDEV_CMD_SET, device);
  message.put_string(RDMA_NLDEV_ATTR_DEV_NAME, name);
  return change(socket, device, std::move(message), "NLDEV_CMD_SET name");
}

Result<std::optional<CharDevice>> find_uverbs(Socket& socket, std::uint32_t device) {
  Message message = nldev(RDMA_NLDEV_CMD_GET_CHARDEV, device);
  message.put_string(RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs");
  auto replies = socket.request(std::move(message));
  const std::string context = "NLDEV_CMD_GET_CHARDEV device " + std::to_string(device);
  if (!replies.ok()) {
    const Error& error = replies.error();
    if (error.code == Code::kNotFound || error.sys_errno == EINVAL) {
      return std::optional<CharDevice>();
    }
    return error.with_context(context);
  }
  if (replies->empty()) {
    return std::optional<CharDevice>();
  }
  ROCELANE_ASSIGN_OR_RETURN(CharDevice found,
                            parse_char_device(replies->front().payload).with_context(context));
  return std::optional<CharDevice>(std::move(found));
}

Result<RdmaNetnsMode> get_rdma_netns_mode(Socket& socket) {
  constexpr const char* kContext = "NLDEV_CMD_SYS_GET";
  ROCELANE_ASSIGN_OR_RETURN(const auto replies,
                            socket.request(nldev(RDMA_NLDEV_CMD_SYS_GET)).with_context(kContext));
  if (replies.empty()) {
    return missing("anything");
  }
  return parse_rdma_netns_mode(replies.front().payload).with_context(kContext);
}

Result<void> set_rdma_netns_mode(Socket& socket, RdmaNetnsMode mode) {
  Message message = nldev(RDMA_NLDEV_CMD_SYS_SET);
  message.put_u8(RDMA_NLDEV_SYS_ATTR_NETNS_MODE, mode == RdmaNetnsMode::kShared ? 1 : 0);
  return socket.acknowledge(std::move(message)).with_context("NLDEV_CMD_SYS_SET");
}

}  // namespace rocelane::netlink
