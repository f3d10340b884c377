// SPDX-License-Identifier: Apache-2.0
// Owns the reading of RTM_NEWLINK messages; nothing is sent here.
#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <algorithm>

#include "lib/netlink/attribute.h"
#include "lib/netlink/link.h"

namespace rocelane::netlink {

namespace {

// A link layer address of six bytes. Tunnels and InfiniBand have other lengths, an Ethernet link
// never.
Result<void> store_mac(std::optional<MacAddress>& target, const Attribute& attribute,
                       std::uint16_t link_type) {
  if (link_type != ARPHRD_ETHER && attribute.payload.size() != MacAddress{}.bytes.size()) {
    return {};
  }
  return store(target, MacAddress::from_bytes(attribute.payload));
}

Result<void> store_index(std::optional<IfIndex>& target, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const std::uint32_t value, attribute.u32());
  if (value != 0) {
    target = IfIndex{static_cast<std::int32_t>(value)};
  }
  return {};
}

Result<void> parse_alt_names(std::vector<std::string>& names, const Attribute& list) {
  return for_each_attribute(list.payload, [&](const Attribute& attribute) -> Result<void> {
    if (attribute.type != IFLA_ALT_IFNAME) {
      return {};
    }
    ROCELANE_ASSIGN_OR_RETURN(std::string name, attribute.text());
    names.push_back(std::move(name));
    return {};
  });
}

Result<void> parse_kind(std::string& kind, const Attribute& info) {
  return for_each_attribute(info.payload, [&](const Attribute& attribute) -> Result<void> {
    return attribute.type == IFLA_INFO_KIND ? store(kind, attribute.text()) : Result<void>();
  });
}

// A setting the driver does not report is all ones (rtnl_fill_vfinfo(), net/core/rtnetlink.c).
template <typename Wire>
Result<std::optional<std::uint32_t>> reported(const Attribute& attribute,
                                              std::uint32_t Wire::*setting) {
  ROCELANE_ASSIGN_OR_RETURN(const Wire wire, attribute.as<Wire>());
  const std::uint32_t value = wire.*setting;
  return value == UINT32_MAX ? std::nullopt : std::optional<std::uint32_t>(value);
}

Result<void> store_flag(std::optional<bool>& target, Result<std::optional<std::uint32_t>> value) {
  if (!value.ok()) {
    return value.error();
  }
  if (*value) {
    target = **value != 0;
  }
  return {};
}

Result<void> parse_vf_mac(VfInfo& vf, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const auto wire, attribute.as<ifla_vf_mac>());
  vf.vf = wire.vf;
  MacAddress mac;
  std::copy_n(std::begin(wire.mac), mac.bytes.size(), mac.bytes.begin());
  vf.mac = mac;
  return {};
}

Result<void> parse_vf_vlan(VfInfo& vf, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const auto wire, attribute.as<ifla_vf_vlan>());
  vf.vf = wire.vf;
  vf.vlan = static_cast<std::uint16_t>(wire.vlan);
  vf.qos = static_cast<std::uint8_t>(wire.qos);
  return {};
}

// The list repeats IFLA_VF_VLAN and adds the protocol; kernels send one entry.
Result<void> parse_vf_vlan_list(VfInfo& vf, const Attribute& list) {
  return for_each_attribute(list.payload, [&](const Attribute& attribute) -> Result<void> {
    if (attribute.type != IFLA_VF_VLAN_INFO) {
      return {};
    }
    ROCELANE_ASSIGN_OR_RETURN(const auto wire, attribute.as<ifla_vf_vlan_info>());
    vf.vlan = static_cast<std::uint16_t>(wire.vlan);
    vf.qos = static_cast<std::uint8_t>(wire.qos);
    vf.vlan_proto = ntohs(wire.vlan_proto);
    return {};
  });
}

Result<void> parse_vf_link_state(VfInfo& vf, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(
      const auto value, reported<ifla_vf_link_state>(attribute, &ifla_vf_link_state::link_state));
  if (value && *value <= IFLA_VF_LINK_STATE_DISABLE) {
    vf.link_state = static_cast<VfLinkState>(*value);
  }
  return {};
}

Result<void> parse_vf_rate(VfInfo& vf, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const auto wire, attribute.as<ifla_vf_rate>());
  vf.min_tx_rate = wire.min_tx_rate;
  vf.max_tx_rate = wire.max_tx_rate;
  return {};
}

// The older form, sent beside IFLA_VF_RATE and alone by kernels before 3.17.
Result<void> parse_vf_tx_rate(VfInfo& vf, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const auto wire, attribute.as<ifla_vf_tx_rate>());
  if (!vf.max_tx_rate) {
    vf.max_tx_rate = wire.rate;
  }
  return {};
}

Result<void> parse_vf_attribute(VfInfo& vf, const Attribute& attribute) {
  switch (attribute.type) {
    case IFLA_VF_MAC:
      return parse_vf_mac(vf, attribute);
    case IFLA_VF_VLAN:
      return parse_vf_vlan(vf, attribute);
    case IFLA_VF_VLAN_LIST:
      return parse_vf_vlan_list(vf, attribute);
    case IFLA_VF_RATE:
      return parse_vf_rate(vf, attribute);
    case IFLA_VF_TX_RATE:
      return parse_vf_tx_rate(vf, attribute);
    case IFLA_VF_SPOOFCHK:
      return store_flag(vf.spoofchk,
                        reported<ifla_vf_spoofchk>(attribute, &ifla_vf_spoofchk::setting));
    case IFLA_VF_TRUST:
      return store_flag(vf.trust, reported<ifla_vf_trust>(attribute, &ifla_vf_trust::setting));
    case IFLA_VF_LINK_STATE:
      return parse_vf_link_state(vf, attribute);
    default:
      return {};
  }
}

Result<void> parse_vfs(std::vector<VfInfo>& vfs, const Attribute& list) {
  return for_each_attribute(list.payload, [&](const Attribute& entry) -> Result<void> {
    if (entry.type != IFLA_VF_INFO) {
      return {};
    }
    VfInfo vf;
    ROCELANE_RETURN_IF_ERROR(for_each_attribute(entry.payload, [&](const Attribute& attribute) {
      return parse_vf_attribute(vf, attribute);
    }));
    vfs.push_back(vf);
    return {};
  });
}

Result<void> parse_link_layer(Link& link, const Attribute& attribute) {
  std::optional<MacAddress> mac;
  ROCELANE_RETURN_IF_ERROR(store_mac(mac, attribute, link.type));
  link.mac = mac.value_or(MacAddress{});
  return {};
}

Result<void> parse_carrier(Link& link, const Attribute& attribute) {
  ROCELANE_ASSIGN_OR_RETURN(const std::uint8_t carrier, attribute.u8());
  link.carrier = carrier != 0;
  return {};
}

Result<void> parse_link_attribute(Link& link, const Attribute& attribute) {
  switch (attribute.type) {
    case IFLA_IFNAME:
      return store(link.name, attribute.text());
    case IFLA_ADDRESS:
      return parse_link_layer(link, attribute);
    case IFLA_PERM_ADDRESS:
      return store_mac(link.permanent_mac, attribute, link.type);
    case IFLA_MTU:
      return store(link.mtu, attribute.u32());
    case IFLA_MAX_MTU:
      return store(link.max_mtu, attribute.u32());
    case IFLA_CARRIER:
      return parse_carrier(link, attribute);
    case IFLA_MASTER:
      return store_index(link.master, attribute);
    case IFLA_LINK:
      return store_index(link.lower, attribute);
    case IFLA_LINKINFO:
      return parse_kind(link.kind, attribute);
    case IFLA_PROP_LIST:
      return parse_alt_names(link.alt_names, attribute);
    case IFLA_PARENT_DEV_NAME:
      return store(link.parent_device, attribute.text());
    case IFLA_PARENT_DEV_BUS_NAME:
      return store(link.parent_bus, attribute.text());
    case IFLA_VFINFO_LIST:
      return parse_vfs(link.vfs, attribute);
    default:
      return {};
  }
}

}  // namespace

Result<Link> parse_link(std::span<const std::uint8_t> payload) {
  Bytes rest;
  ROCELANE_ASSIGN_OR_RETURN(const auto header, take_header<ifinfomsg>(payload, "ifinfomsg", rest));
  Link link;
  link.index = IfIndex{header.ifi_index};
  link.flags = header.ifi_flags;
  link.type = header.ifi_type;
  ROCELANE_RETURN_IF_ERROR(for_each_attribute(
      rest, [&](const Attribute& attribute) { return parse_link_attribute(link, attribute); }));
  return link;
}

}  // namespace rocelane::netlink
