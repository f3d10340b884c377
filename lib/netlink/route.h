// SPDX-License-Identifier: Apache-2.0
// Routes and rules over rtnetlink (RTM_*ROUTE, RTM_*RULE; linux/rtnetlink.h, linux/fib_rules.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/base/if_index.h"
#include "lib/base/ip_address.h"
#include "lib/base/result.h"
#include "lib/netlink/socket.h"

namespace rocelane::netlink {

struct Route {
  IpPrefix destination;  // length 0: default
  std::optional<IpAddress> gateway;
  IfIndex out;                // 0: not given
  std::uint32_t table = 254;  // RT_TABLE_MAIN
  std::uint8_t scope = 0;     // RT_SCOPE_UNIVERSE; a v4 unicast route without a gateway goes out,
                              // and comes back, as RT_SCOPE_LINK (253)
  std::uint8_t type = 1;      // RTN_UNICAST
  std::uint8_t protocol = 4;  // RTPROT_STATIC
  std::optional<std::uint32_t> mtu;
  std::optional<std::uint32_t> advmss;
  std::optional<std::uint32_t> priority;
  std::optional<IpAddress> preferred_source;

  bool operator==(const Route&) const = default;
};

struct Rule {
  std::optional<IpPrefix> source;
  std::uint32_t table = 254;
  std::uint32_t priority = 0;  // 0: the kernel's choice when added, any when removed
  bool v6 = false;             // of `source` when there is one

  bool operator==(const Rule&) const = default;
};

Result<Route> parse_route(std::span<const std::uint8_t> payload);
Message encode_add_route(const Route& route);
Result<Rule> parse_rule(std::span<const std::uint8_t> payload);
Message encode_add_rule(const Rule& rule);

Result<void> add_route(Socket& socket, const Route& route);     // kAlreadyExists when there
Result<void> remove_route(Socket& socket, const Route& route);  // already gone is success
Result<std::vector<Route>> dump_routes(Socket& socket);         // both families, all tables
Result<void> add_rule(Socket& socket, const Rule& rule);
Result<void> remove_rule(Socket& socket, const Rule& rule);
Result<std::vector<Rule>> dump_rules(Socket& socket);

}  // namespace rocelane::netlink
