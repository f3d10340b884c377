// SPDX-License-Identifier: Apache-2.0
// Interface addresses over rtnetlink (RTM_*ADDR, linux/if_addr.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/base/if_index.h"
#include "lib/base/ip_address.h"
#include "lib/base/result.h"
#include "lib/netlink/socket.h"

namespace rocelane::netlink {

struct Address {
  IfIndex index;
  IpPrefix prefix;
  std::uint8_t scope = 0;   // RT_SCOPE_*
  std::uint32_t flags = 0;  // IFA_F_*: TENTATIVE, DADFAILED, NODAD, PERMANENT, …

  bool operator==(const Address&) const = default;
};

Result<Address> parse_address(std::span<const std::uint8_t> payload);
Message encode_add_address(const Address& address);

// kAlreadyExists when it is there. IPv6 goes in with IFA_F_NODAD when `flags` says so.
Result<void> add_address(Socket& socket, const Address& address);
// Already gone is success.
Result<void> remove_address(Socket& socket, const Address& address);
// Of one interface (0: of all), both families. An interface that is not there: kNotFound.
Result<std::vector<Address>> dump_addresses(Socket& socket, IfIndex index);

}  // namespace rocelane::netlink
