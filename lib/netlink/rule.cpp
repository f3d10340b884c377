// SPDX-License-Identifier: Apache-2.0
// Owns routing rules (RTM_*RULE, linux/fib_rules.h): their bytes and the calls that change them.
#include <linux/fib_rules.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include "lib/netlink/attribute.h"
#include "lib/netlink/route.h"

namespace rocelane::netlink {

namespace {

bool is_v6(const Rule& rule) { return rule.source ? rule.source->address.v6 : rule.v6; }

Message encode(std::uint16_t type, std::uint16_t flags, const Rule& rule) {
  Message message(type, flags);
  fib_rule_hdr header{};
  header.family = is_v6(rule) ? AF_INET6 : AF_INET;
  header.src_len = rule.source ? rule.source->length : std::uint8_t{0};
  header.table = rule.table <= UINT8_MAX ? static_cast<std::uint8_t>(rule.table)
                                         : std::uint8_t{RT_TABLE_UNSPEC};
  header.action = FR_ACT_TO_TBL;
  message.append_struct(header);
  if (rule.source && rule.source->length > 0) {
    message.put(FRA_SRC, rule.source->network().address.raw());
  }
  if (rule.priority != 0) {
    message.put_u32(FRA_PRIORITY, rule.priority);
  }
  if (rule.table > UINT8_MAX) {
    message.put_u32(FRA_TABLE, rule.table);
  }
  return message;
}

std::string describe(const Rule& rule) {
  return "from " + (rule.source ? rule.source->to_string() : std::string("all")) + " table " +
         std::to_string(rule.table);
}

}  // namespace

Result<Rule> parse_rule(std::span<const std::uint8_t> payload) {
  Bytes rest;
  ROCELANE_ASSIGN_OR_RETURN(const auto header,
                            take_header<fib_rule_hdr>(payload, "fib_rule_hdr", rest));
  Rule rule{.table = header.table, .v6 = header.family == AF_INET6};
  std::optional<IpAddress> source;
  ROCELANE_RETURN_IF_ERROR(
      for_each_attribute(rest, [&](const Attribute& attribute) -> Result<void> {
        switch (attribute.type) {
          case FRA_SRC:
            return store(source, attribute.address());
          case FRA_PRIORITY:
            return store(rule.priority, attribute.u32());
          case FRA_TABLE:
            return store(rule.table, attribute.u32());
          default:
            return {};
        }
      }));
  if (!source) {
    return rule;
  }
  if (source->family() != header.family || header.src_len > source->raw().size() * 8) {
    return Error::make(Code::kInvalidInput, "fib_rule_hdr: source and family do not agree");
  }
  rule.source = IpPrefix{.address = *source, .length = header.src_len};
  return rule;
}

Message encode_add_rule(const Rule& rule) {
  return encode(RTM_NEWRULE, NLM_F_CREATE | NLM_F_EXCL, rule);
}

Result<void> add_rule(Socket& socket, const Rule& rule) {
  return socket.acknowledge(encode_add_rule(rule)).with_context("RTM_NEWRULE " + describe(rule));
}

Result<void> remove_rule(Socket& socket, const Rule& rule) {
  auto done = socket.acknowledge(encode(RTM_DELRULE, 0, rule));
  if (!done.ok() && done.error().code == Code::kNotFound) {  // ENOENT: no such rule
    return {};
  }
  return std::move(done).with_context("RTM_DELRULE " + describe(rule));
}

Result<std::vector<Rule>> dump_rules(Socket& socket) {
  std::vector<Rule> rules;
  for (const int family : {AF_INET, AF_INET6}) {
    Message message(RTM_GETRULE, 0);
    fib_rule_hdr filter{};
    filter.family = static_cast<std::uint8_t>(family);
    message.append_struct(filter);
    auto replies = socket.dump(std::move(message));
    if (!replies.ok() && replies.error().code == Code::kUnsupported) {
      continue;  // a kernel without rules for this family
    }
    if (!replies.ok()) {
      return replies.error().with_context("RTM_GETRULE");
    }
    for (const Reply& reply : *replies) {
      ROCELANE_ASSIGN_OR_RETURN(const Rule rule,
                                parse_rule(reply.payload).with_context("RTM_GETRULE"));
      rules.push_back(rule);
    }
  }
  return rules;
}

}  // namespace rocelane::netlink
