// SPDX-License-Identifier: Apache-2.0
// Owns the requests about links (RTM_*LINK, linux/if_link.h); pure.
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>

#include <algorithm>

#include "lib/netlink/link.h"

namespace rocelane::netlink {

namespace {

void append_header(Message& message, IfIndex index, unsigned flags = 0, unsigned change = 0) {
  ifinfomsg header{};
  header.ifi_family = AF_UNSPEC;
  header.ifi_index = index.value;
  header.ifi_flags = flags;
  header.ifi_change = change;
  message.append_struct(header);
}

// Statistics are never read here and make up most of a VF's answer.
void put_filter(Message& message, bool with_vfs) {
  message.put_u32(IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS | (with_vfs ? RTEXT_FILTER_VF : 0U));
}

void put_index(Message& message, std::uint16_t attribute, IfIndex index) {
  message.put_u32(attribute, static_cast<std::uint32_t>(index.value));
}

void put_vf_mac(Message& message, std::uint32_t vf, const MacAddress& mac) {
  ifla_vf_mac wire{};
  wire.vf = vf;
  std::copy(mac.bytes.begin(), mac.bytes.end(), std::begin(wire.mac));
  message.put_struct(IFLA_VF_MAC, wire);
}

// The list form only where it says more: some drivers take the plain one alone.
void put_vf_vlan(Message& message, std::uint32_t vf, const VfChange::Vlan& vlan) {
  if (vlan.proto == ETH_P_8021Q) {
    message.put_struct(IFLA_VF_VLAN, ifla_vf_vlan{.vf = vf, .vlan = vlan.vlan, .qos = vlan.qos});
    return;
  }
  ifla_vf_vlan_info wire{};
  wire.vf = vf;
  wire.vlan = vlan.vlan;
  wire.qos = vlan.qos;
  wire.vlan_proto = htons(vlan.proto);
  message.nest(IFLA_VF_VLAN_LIST, [&](Message& list) { list.put_struct(IFLA_VF_VLAN_INFO, wire); });
}

void put_vf_fields(Message& message, const VfChange& change) {
  if (change.mac) {
    put_vf_mac(message, change.vf, *change.mac);
  }
  if (change.vlan) {
    put_vf_vlan(message, change.vf, *change.vlan);
  }
  if (change.spoofchk) {
    message.put_struct(IFLA_VF_SPOOFCHK,
                       ifla_vf_spoofchk{.vf = change.vf, .setting = *change.spoofchk ? 1U : 0U});
  }
  if (change.trust) {
    message.put_struct(IFLA_VF_TRUST,
                       ifla_vf_trust{.vf = change.vf, .setting = *change.trust ? 1U : 0U});
  }
  if (change.link_state) {
    message.put_struct(
        IFLA_VF_LINK_STATE,
        ifla_vf_link_state{.vf = change.vf,
                           .link_state = static_cast<std::uint32_t>(*change.link_state)});
  }
  if (change.rate) {
    message.put_struct(IFLA_VF_RATE, ifla_vf_rate{.vf = change.vf,
                                                  .min_tx_rate = change.rate->min_mbit,
                                                  .max_tx_rate = change.rate->max_mbit});
  }
}

// One overload per kind: its name for the kernel, and what stands beside IFLA_INFO_KIND.
void put_kind(Message& info, const char* kind, const std::function<void(Message&)>& data = {}) {
  info.put_string(IFLA_INFO_KIND, kind);
  if (data) {
    info.nest(IFLA_INFO_DATA, data);
  }
}

void put_info(Message& info, const VethSpec& spec) {
  put_kind(info, "veth", [&](Message& data) {
    data.nest(VETH_INFO_PEER, [&](Message& peer) {
      append_header(peer, IfIndex{});
      peer.put_string(IFLA_IFNAME, spec.peer);
    });
  });
}

void put_info(Message& info, const VlanSpec& spec) {
  put_kind(info, "vlan", [&](Message& data) { data.put_u16(IFLA_VLAN_ID, spec.id); });
}

void put_info(Message& info, const VrfSpec& spec) {
  put_kind(info, "vrf", [&](Message& data) { data.put_u32(IFLA_VRF_TABLE, spec.table); });
}

void put_info(Message& info, const MacvlanSpec& /*spec*/) {
  put_kind(info, "macvlan",
           [](Message& data) { data.put_u32(IFLA_MACVLAN_MODE, MACVLAN_MODE_BRIDGE); });
}

void put_info(Message& info, const BridgeSpec& /*spec*/) { put_kind(info, "bridge"); }

void put_info(Message& info, const DummySpec& /*spec*/) { put_kind(info, "dummy"); }

}  // namespace

Message encode_get_link(std::string_view name, bool with_vfs) {
  Message message(RTM_GETLINK, 0);
  append_header(message, IfIndex{});
  put_filter(message, with_vfs);
  // The kernel looks short names up among the alternative ones too (rtnl_dev_get()).
  message.put_string(name.size() < IFNAMSIZ ? IFLA_IFNAME : IFLA_ALT_IFNAME, name);
  return message;
}

Message encode_get_link(IfIndex index, bool with_vfs) {
  Message message(RTM_GETLINK, 0);
  append_header(message, index);
  put_filter(message, with_vfs);
  return message;
}

Message encode_set_link(IfIndex index, const LinkChange& change) {
  Message message(RTM_SETLINK, 0);
  constexpr unsigned kUp = IFF_UP;
  append_header(message, index, change.up.value_or(false) ? kUp : 0U, change.up ? kUp : 0U);
  if (change.netns_fd) {
    message.put_u32(IFLA_NET_NS_FD, static_cast<std::uint32_t>(*change.netns_fd));
  }
  if (change.new_index) {
    put_index(message, IFLA_NEW_IFINDEX, *change.new_index);
  }
  if (change.name) {
    message.put_string(IFLA_IFNAME, *change.name);
  }
  if (change.mac) {
    message.put(IFLA_ADDRESS, change.mac->bytes);
  }
  if (change.mtu) {
    message.put_u32(IFLA_MTU, *change.mtu);
  }
  if (change.master) {
    put_index(message, IFLA_MASTER, *change.master);
  }
  return message;
}

// RTM_NEWLINK without NLM_F_CREATE, as from ip(8): byte for byte what drivers are used to.
Message encode_set_vf(IfIndex pf, const VfChange& change) {
  Message message(RTM_NEWLINK, 0);
  append_header(message, pf);
  message.nest(IFLA_VFINFO_LIST, [&](Message& list) {
    list.nest(IFLA_VF_INFO, [&](Message& vf) { put_vf_fields(vf, change); });
  });
  return message;
}

Message encode_add_link(const LinkSpec& spec) {
  Message message(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL);
  append_header(message, IfIndex{});
  std::visit(
      [&](const auto& kind) {
        message.put_string(IFLA_IFNAME, kind.name);
        if constexpr (requires { kind.lower; }) {
          put_index(message, IFLA_LINK, kind.lower);
        }
        message.nest(IFLA_LINKINFO, [&](Message& info) { put_info(info, kind); });
      },
      spec);
  return message;
}

}  // namespace rocelane::netlink
