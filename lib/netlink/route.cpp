// SPDX-License-Identifier: Apache-2.0
// Owns routes: their bytes and the calls that change them.
#include "lib/netlink/route.h"

#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <vector>

#include "lib/netlink/attribute.h"

namespace rocelane::netlink {

namespace {

constexpr std::array<std::uint8_t, 2> kFamilies{AF_INET, AF_INET6};

// As ip(8) chooses it: what has no gateway is on the link. IPv6 has no scopes for routes.
std::uint8_t scope_of(const Route& route) {
  const bool on_link = !route.gateway && !route.destination.address.v6 &&
                       route.scope == RT_SCOPE_UNIVERSE && route.type == RTN_UNICAST;
  return on_link ? std::uint8_t{RT_SCOPE_LINK} : route.scope;
}

void put_optional(Message& message, std::uint16_t attribute,
                  const std::optional<std::uint32_t>& value) {
  if (value) {
    message.put_u32(attribute, *value);
  }
}

void put_gateway(Message& message, const Route& route) {
  if (!route.gateway) {
    return;
  }
  if (route.gateway->v6 == route.destination.address.v6) {
    message.put(RTA_GATEWAY, route.gateway->raw());
    return;
  }
  // struct rtvia: family, then the address (linux/rtnetlink.h).
  const auto family = static_cast<std::uint16_t>(route.gateway->family());
  std::vector<std::uint8_t> via(sizeof family);
  std::memcpy(via.data(), &family, sizeof family);
  const auto address = route.gateway->raw();
  via.insert(via.end(), address.begin(), address.end());
  message.put(RTA_VIA, via);
}

Message encode(std::uint16_t type, std::uint16_t flags, const Route& route) {
  Message message(type, flags);
  rtmsg header{};
  header.rtm_family = static_cast<std::uint8_t>(route.destination.address.family());
  header.rtm_dst_len = route.destination.length;
  header.rtm_table = route.table <= UINT8_MAX ? static_cast<std::uint8_t>(route.table)
                                              : std::uint8_t{RT_TABLE_UNSPEC};
  header.rtm_protocol = route.protocol;
  header.rtm_scope = scope_of(route);
  header.rtm_type = route.type;
  message.append_struct(header);
  if (route.destination.length > 0) {
    // The kernel refuses host bits: "Invalid prefix for given prefix length".
    message.put(RTA_DST, route.destination.network().address.raw());
  }
  put_gateway(message, route);
  if (route.table > UINT8_MAX) {
    message.put_u32(RTA_TABLE, route.table);
  }
  put_optional(message, RTA_PRIORITY, route.priority);
  if (route.preferred_source) {
    message.put(RTA_PREFSRC, route.preferred_source->raw());
  }
  if (route.out.valid()) {
    message.put_u32(RTA_OIF, static_cast<std::uint32_t>(route.out.value));
  }
  if (route.mtu || route.advmss) {
    message.nest(RTA_METRICS, [&](Message& metrics) {
      put_optional(metrics, RTAX_MTU, route.mtu);
      put_optional(metrics, RTAX_ADVMSS, route.advmss);
    });
  }
  return message;
}

Result<void> parse_metrics(Route& route, const Attribute& list) {
  return for_each_attribute(list.payload, [&](const Attribute& metric) -> Result<void> {
    switch (metric.type) {
      case RTAX_MTU:
        return store(route.mtu, metric.u32());
      case RTAX_ADVMSS:
        return store(route.advmss, metric.u32());
      default:
        return {};
    }
  });
}

Result<void> parse_via(Route& route, const Attribute& attribute) {
  if (attribute.payload.size() < sizeof(rtvia)) {
    return Error::make(Code::kInvalidInput, "RTA_VIA: shorter than its family");
  }
  return store(route.gateway, IpAddress::from_bytes(attribute.payload.subspan(sizeof(rtvia))));
}

Result<void> parse_out(Route& route, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const std::uint32_t index, attribute.u32());
  route.out = IfIndex{static_cast<std::int32_t>(index)};
  return {};
}

Result<void> parse_attribute(Route& route, const Attribute& attribute) {
  switch (attribute.type) {
    case RTA_DST:
      return store(route.destination.address, attribute.address());
    case RTA_GATEWAY:
      return store(route.gateway, attribute.address());
    case RTA_VIA:
      return parse_via(route, attribute);
    case RTA_OIF:
      return parse_out(route, attribute);
    case RTA_TABLE:
      return store(route.table, attribute.u32());
    case RTA_PRIORITY:
      return store(route.priority, attribute.u32());
    case RTA_PREFSRC:
      return store(route.preferred_source, attribute.address());
    case RTA_METRICS:
      return parse_metrics(route, attribute);
    default:
      return {};
  }
}

std::string describe(const Route& route) {
  return route.destination.to_string() + " table " + std::to_string(route.table);
}

}  // namespace

Result<Route> parse_route(std::span<const std::uint8_t> payload) {
  Bytes rest;
  ROCELANE_ASSIGN_OR_RETURN(const auto header, take_header<rtmsg>(payload, "rtmsg", rest));
  Route route{.table = header.rtm_table,
              .scope = header.rtm_scope,
              .type = header.rtm_type,
              .protocol = header.rtm_protocol};
  route.destination.address.v6 = header.rtm_family == AF_INET6;  // a default route has no RTA_DST
  ROCELANE_RETURN_IF_ERROR(for_each_attribute(
      rest, [&](const Attribute& attribute) { return parse_attribute(route, attribute); }));
  const IpAddress& address = route.destination.address;
  if (address.family() != header.rtm_family || header.rtm_dst_len > address.raw().size() * 8) {
    return Error::make(Code::kInvalidInput, "rtmsg: destination and family do not agree");
  }
  route.destination.length = header.rtm_dst_len;
  return route;
}

Message encode_add_route(const Route& route) {
  return encode(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, route);
}

Result<void> add_route(Socket& socket, const Route& route) {
  return socket.acknowledge(encode_add_route(route))
      .with_context("RTM_NEWROUTE " + describe(route));
}

Result<void> remove_route(Socket& socket, const Route& route) {
  auto done = socket.acknowledge(encode(RTM_DELROUTE, 0, route));
  if (!done.ok() && done.error().code == Code::kNotFound) {  // ESRCH; ENODEV without its interface
    return {};
  }
  return std::move(done).with_context("RTM_DELROUTE " + describe(route));
}

Result<std::vector<Route>> dump_routes(Socket& socket) {
  std::vector<Route> routes;
  for (const std::uint8_t family : kFamilies) {
    Message message(RTM_GETROUTE, 0);
    rtmsg filter{};
    filter.rtm_family = family;
    message.append_struct(filter);
    ROCELANE_ASSIGN_OR_RETURN(const auto replies,
                              socket.dump(std::move(message)).with_context("RTM_GETROUTE"));
    for (const Reply& reply : replies) {
      // A kernel without this family answers for all of them.
      if (reply.payload.empty() || reply.payload.front() != family) {
        continue;
      }
      ROCELANE_ASSIGN_OR_RETURN(const Route route,
                                parse_route(reply.payload).with_context("RTM_GETROUTE"));
      routes.push_back(route);
    }
  }
  return routes;
}

}  // namespace rocelane::netlink
