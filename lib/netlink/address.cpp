// SPDX-License-Identifier: Apache-2.0
// Owns interface addresses: their bytes and the calls that change them.
#include "lib/netlink/address.h"

#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "lib/netlink/attribute.h"

namespace rocelane::netlink {

namespace {

// The flags a request may carry; the others are the kernel's to set (linux/if_addr.h).
constexpr std::uint32_t kSettable = IFA_F_NODAD | IFA_F_OPTIMISTIC | IFA_F_HOMEADDRESS |
                                    IFA_F_MANAGETEMPADDR | IFA_F_NOPREFIXROUTE | IFA_F_MCAUTOJOIN;

Message encode(std::uint16_t type, std::uint16_t flags, const Address& address) {
  Message message(type, flags);
  const std::uint32_t wanted = address.flags & kSettable;
  ifaddrmsg header{};
  header.ifa_family = static_cast<std::uint8_t>(address.prefix.address.family());
  header.ifa_prefixlen = address.prefix.length;
  header.ifa_flags = static_cast<std::uint8_t>(wanted);
  header.ifa_scope = address.scope;
  header.ifa_index = static_cast<std::uint32_t>(address.index.value);
  message.append_struct(header);
  message.put(IFA_LOCAL, address.prefix.address.raw());
  message.put(IFA_ADDRESS, address.prefix.address.raw());
  if (wanted > UINT8_MAX) {
    message.put_u32(IFA_FLAGS, wanted);
  }
  return message;
}

std::string describe(const Address& address) {
  return address.prefix.to_string() + " ifindex " + std::to_string(address.index.value);
}

Result<void> dump_family(Socket& socket, IfIndex index, int family,
                         std::vector<Address>& addresses) {
  Message message(RTM_GETADDR, 0);
  ifaddrmsg filter{};
  filter.ifa_family = static_cast<std::uint8_t>(family);
  filter.ifa_index = static_cast<std::uint32_t>(index.value);
  message.append_struct(filter);
  ROCELANE_ASSIGN_OR_RETURN(const auto replies,
                            socket.dump(std::move(message)).with_context("RTM_GETADDR"));
  for (const Reply& reply : replies) {
    ROCELANE_ASSIGN_OR_RETURN(const Address address,
                              parse_address(reply.payload).with_context("RTM_GETADDR"));
    // A kernel without strict checking does not filter; one without this family answers for all.
    const bool wanted = !index.valid() || address.index == index;
    if (wanted && address.prefix.address.family() == family) {
      addresses.push_back(address);
    }
  }
  return {};
}

}  // namespace

Result<Address> parse_address(std::span<const std::uint8_t> payload) {
  Bytes rest;
  ROCELANE_ASSIGN_OR_RETURN(const auto header, take_header<ifaddrmsg>(payload, "ifaddrmsg", rest));
  Address address{.index = IfIndex{static_cast<std::int32_t>(header.ifa_index)},
                  .scope = header.ifa_scope,
                  .flags = header.ifa_flags};
  std::optional<IpAddress> own;
  std::optional<IpAddress> peer_or_own;
  ROCELANE_RETURN_IF_ERROR(
      for_each_attribute(rest, [&](const Attribute& attribute) -> Result<void> {
        switch (attribute.type) {
          case IFA_LOCAL:
            return store(own, attribute.address());
          case IFA_ADDRESS:
            return store(peer_or_own, attribute.address());
          case IFA_FLAGS:
            return store(address.flags, attribute.u32());
          default:
            return {};
        }
      }));
  // IFA_ADDRESS is the other end of a point-to-point link when both are there (linux/if_addr.h).
  const std::optional<IpAddress>& chosen = own ? own : peer_or_own;
  if (!chosen || chosen->family() != header.ifa_family ||
      header.ifa_prefixlen > chosen->raw().size() * 8) {
    return Error::make(Code::kInvalidInput, "ifaddrmsg: address and family do not agree");
  }
  address.prefix = IpPrefix{.address = *chosen, .length = header.ifa_prefixlen};
  return address;
}

Message encode_add_address(const Address& address) {
  return encode(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, address);
}

Result<void> add_address(Socket& socket, const Address& address) {
  return socket.acknowledge(encode_add_address(address))
      .with_context("RTM_NEWADDR " + describe(address));
}

Result<void> remove_address(Socket& socket, const Address& address) {
  auto done = socket.acknowledge(encode(RTM_DELADDR, 0, address));
  const bool gone = !done.ok() && (done.error().sys_errno == EADDRNOTAVAIL ||
                                   done.error().code == Code::kNotFound);
  return gone ? Result<void>() : std::move(done).with_context("RTM_DELADDR " + describe(address));
}

Result<std::vector<Address>> dump_addresses(Socket& socket, IfIndex index) {
  std::vector<Address> addresses;
  for (const int family : {AF_INET, AF_INET6}) {
    ROCELANE_RETURN_IF_ERROR(dump_family(socket, index, family, addresses));
  }
  return addresses;
}

}  // namespace rocelane::netlink
