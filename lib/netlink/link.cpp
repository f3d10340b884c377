// SPDX-License-Identifier: Apache-2.0
// Owns the calls that find and change links; their bytes are in link_encode and link_parse.
#include "lib/netlink/link.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>

namespace rocelane::netlink {

namespace {

// Longest alternative name (ALTIFNAMSIZ, linux/if.h, which clashes with <net/if.h>).
constexpr std::size_t kAltNameBytes = 128;

Result<std::optional<Link>> get_link(Socket& socket, Message message, const std::string& what) {
  const std::string context = "RTM_GETLINK " + what;
  auto replies = socket.request(std::move(message));
  if (!replies.ok() && replies.error().code == Code::kNotFound) {
    return std::optional<Link>();
  }
  if (!replies.ok()) {
    return replies.error().with_context(context);
  }
  for (const Reply& reply : *replies) {
    if (reply.type == RTM_NEWLINK) {
      ROCELANE_ASSIGN_OR_RETURN(Link link, parse_link(reply.payload).with_context(context));
      return std::optional<Link>(std::move(link));
    }
  }
  return Error::make(Code::kIo, context + ": the answer has no link");
}

// For messages: the link's name as long as it can be had. Only called on errors.
std::string describe(Socket& socket, IfIndex index) {
  auto link = find_link(socket, index);
  return link.ok() && *link ? (*link)->name : "ifindex " + std::to_string(index.value);
}

Result<void> change(Socket& socket, IfIndex index, Message message, const std::string& request,
                    const std::string& detail = {}) {
  auto done = socket.acknowledge(std::move(message));
  if (done.ok()) {
    return {};
  }
  return done.error().with_context(request + " " + describe(socket, index) + detail);
}

Result<void> or_gone(Result<void> done) {
  if (!done.ok() && done.error().code == Code::kNotFound) {
    return {};
  }
  return done;
}

Message encode_alt_name(std::uint16_t type, std::uint16_t flags, IfIndex index,
                        std::string_view name) {
  Message message(type, flags);
  ifinfomsg header{};
  header.ifi_index = index.value;
  message.append_struct(header);
  message.nest(
      IFLA_PROP_LIST, [&](Message& list) { list.put_string(IFLA_ALT_IFNAME, name); }, true);
  return message;
}

std::string name_of(const LinkSpec& spec) {
  return std::visit([](const auto& kind) { return kind.name; }, spec);
}

}  // namespace

bool Link::up() const { return (flags & IFF_UP) != 0; }

Result<std::optional<Link>> find_link(Socket& socket, std::string_view name, bool with_vfs) {
  if (name.empty() || name.size() >= kAltNameBytes) {
    return std::optional<Link>();  // no link has such a name; the kernel would call it invalid
  }
  return get_link(socket, encode_get_link(name, with_vfs), std::string(name));
}

Result<std::optional<Link>> find_link(Socket& socket, IfIndex index, bool with_vfs) {
  if (!index.valid()) {
    return std::optional<Link>();
  }
  return get_link(socket, encode_get_link(index, with_vfs),
                  "ifindex " + std::to_string(index.value));
}

Result<std::vector<Link>> dump_links(Socket& socket, bool with_vfs) {
  ROCELANE_ASSIGN_OR_RETURN(
      const auto replies,
      socket.dump(encode_get_link(IfIndex{}, with_vfs)).with_context("RTM_GETLINK, all links"));
  std::vector<Link> links;
  for (const Reply& reply : replies) {
    ROCELANE_ASSIGN_OR_RETURN(Link link,
                              parse_link(reply.payload).with_context("RTM_GETLINK, all links"));
    links.push_back(std::move(link));
  }
  return links;
}

Result<void> set_link(Socket& socket, IfIndex index, const LinkChange& change_to) {
  return change(socket, index, encode_set_link(index, change_to), "RTM_SETLINK");
}

Result<void> set_vf(Socket& socket, IfIndex pf, const VfChange& wanted) {
  const auto send = [&](const VfChange& one, const char* field) {
    return change(socket, pf, encode_set_vf(pf, one), "RTM_NEWLINK",
                  " vf " + std::to_string(one.vf) + " " + field);
  };
  if (wanted.mac) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .mac = wanted.mac}, "mac"));
  }
  if (wanted.vlan) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .vlan = wanted.vlan}, "vlan"));
  }
  if (wanted.spoofchk) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .spoofchk = wanted.spoofchk}, "spoofchk"));
  }
  if (wanted.trust) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .trust = wanted.trust}, "trust"));
  }
  if (wanted.link_state) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .link_state = wanted.link_state}, "state"));
  }
  if (wanted.rate) {
    ROCELANE_RETURN_IF_ERROR(send({.vf = wanted.vf, .rate = wanted.rate}, "rate"));
  }
  return {};
}

Result<void> add_link(Socket& socket, const LinkSpec& spec) {
  return socket.acknowledge(encode_add_link(spec)).with_context("RTM_NEWLINK " + name_of(spec));
}

Result<void> remove_link(Socket& socket, IfIndex index) {
  Message message(RTM_DELLINK, 0);
  ifinfomsg header{};
  header.ifi_index = index.value;
  message.append_struct(header);
  return or_gone(change(socket, index, std::move(message), "RTM_DELLINK"));
}

Result<void> add_alt_name(Socket& socket, IfIndex index, std::string_view name) {
  constexpr std::uint16_t kFlags = NLM_F_CREATE | NLM_F_EXCL | NLM_F_APPEND;
  return change(socket, index, encode_alt_name(RTM_NEWLINKPROP, kFlags, index, name),
                "RTM_NEWLINKPROP", " altname " + std::string(name));
}

Result<void> remove_alt_name(Socket& socket, IfIndex index, std::string_view name) {
  return or_gone(change(socket, index, encode_alt_name(RTM_DELLINKPROP, 0, index, name),
                        "RTM_DELLINKPROP", " altname " + std::string(name)));
}

}  // namespace rocelane::netlink
