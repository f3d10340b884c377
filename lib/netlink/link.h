// SPDX-License-Identifier: Apache-2.0
// Network interfaces over rtnetlink (RTM_*LINK, linux/if_link.h): values, pure encode/parse, and
// the calls that use them. All calls act in the netns of the given socket.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/base/if_index.h"
#include "lib/base/mac_address.h"
#include "lib/base/result.h"
#include "lib/netlink/socket.h"

namespace rocelane::netlink {

enum class VfLinkState : std::uint32_t {
  kAuto = 0,
  kEnable = 1,
  kDisable = 2
};  // IFLA_VF_LINK_STATE_*

// What a PF says of one of its VFs (IFLA_VF_INFO). Absent: this driver does not report it.
struct VfInfo {
  std::uint32_t vf = 0;
  std::optional<MacAddress> mac;  // the administrative MAC
  std::uint16_t vlan = 0;         // 0: none
  std::uint8_t qos = 0;
  std::uint16_t vlan_proto = 0x8100;  // host order: 0x8100 or 0x88a8
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<VfLinkState> link_state;
  std::optional<std::uint32_t> min_tx_rate;  // Mbit/s, 0: none
  std::optional<std::uint32_t> max_tx_rate;  // Mbit/s, 0: none

  bool operator==(const VfInfo&) const = default;
};

struct Link {
  IfIndex index;
  std::string name;
  std::vector<std::string> alt_names;
  MacAddress mac;                           // zero for links without an Ethernet address
  std::optional<MacAddress> permanent_mac;  // IFLA_PERM_ADDRESS
  std::uint32_t mtu = 0;
  std::optional<std::uint32_t> max_mtu;
  std::uint32_t flags = 0;  // IFF_*
  std::uint16_t type = 0;   // ARPHRD_*
  bool carrier = false;
  std::string kind;  // "vrf", "veth", …; empty for hardware
  std::optional<IfIndex> master;
  std::optional<IfIndex> lower;  // IFLA_LINK: of a veth its peer, maybe in another netns
  std::string parent_device;     // "0000:3b:00.2"; empty on kernels before 5.14
  std::string parent_bus;        // "pci"
  std::vector<VfInfo> vfs;       // only when asked for

  [[nodiscard]] bool up() const;  // IFF_UP: administratively up
  bool operator==(const Link&) const = default;
};

// What set_link() changes; absent fields stay.
struct LinkChange {
  std::optional<std::string> name;  // the link must be down on kernels before 6.2
  std::optional<std::uint32_t> mtu;
  std::optional<MacAddress> mac;
  std::optional<bool> up;
  std::optional<IfIndex> master;  // 0: none
  // Move to this netns (an open descriptor; borrowed). Without `name` the link keeps its name, and
  // one that is taken there is kAlreadyExists with nothing changed. With `name` it arrives under
  // that name; when the kernel refuses only the new name (taken there while the present one is
  // free), the link has moved already under its present one: look before undoing (do_setlink(),
  // net/core/rtnetlink.c). With `new_index` the move asks for that ifindex (kernel >= 5.13, taken:
  // kBusy).
  std::optional<int> netns_fd;
  std::optional<IfIndex> new_index;
};

// What set_vf() changes, on the PF; absent fields stay.
struct VfChange {
  std::uint32_t vf = 0;
  std::optional<MacAddress> mac;
  // VLAN, QoS and protocol are one setting for the kernel. 0x8100 goes out as plain IFLA_VF_VLAN,
  // as from ip(8), which every driver takes; another protocol as IFLA_VF_VLAN_LIST.
  struct Vlan {
    std::uint16_t vlan = 0;
    std::uint8_t qos = 0;
    std::uint16_t proto = 0x8100;
    bool operator==(const Vlan&) const = default;
  };
  std::optional<Vlan> vlan;
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<VfLinkState> link_state;
  struct Rate {
    std::uint32_t min_mbit = 0;
    std::uint32_t max_mbit = 0;
    bool operator==(const Rate&) const = default;
  };
  std::optional<Rate> rate;
};

// Links this project creates (tests, softRoce on plain NICs, VRF).
struct VethSpec {
  std::string name;
  std::string peer;
};
struct VlanSpec {
  std::string name;
  IfIndex lower;
  std::uint16_t id = 0;
};
struct VrfSpec {
  std::string name;
  std::uint32_t table = 0;
};
struct MacvlanSpec {  // mode bridge
  std::string name;
  IfIndex lower;
};
struct BridgeSpec {
  std::string name;
};
struct DummySpec {
  std::string name;
};
using LinkSpec = std::variant<VethSpec, VlanSpec, VrfSpec, MacvlanSpec, BridgeSpec, DummySpec>;

// Pure: bytes <-> values.
Result<Link> parse_link(std::span<const std::uint8_t> payload);
Message encode_set_link(IfIndex index, const LinkChange& change);
Message encode_set_vf(IfIndex pf, const VfChange& change);
Message encode_add_link(const LinkSpec& spec);
Message encode_get_link(std::string_view name, bool with_vfs);
Message encode_get_link(IfIndex index, bool with_vfs);

// By name (alternative names count, as for the kernel) or index. Absent: nullopt.
Result<std::optional<Link>> find_link(Socket& socket, std::string_view name, bool with_vfs = false);
Result<std::optional<Link>> find_link(Socket& socket, IfIndex index, bool with_vfs = false);
Result<std::vector<Link>> dump_links(Socket& socket, bool with_vfs = false);

Result<void> set_link(Socket& socket, IfIndex index, const LinkChange& change);
// One kernel request per field, in the order of the struct, so that an error names the field.
Result<void> set_vf(Socket& socket, IfIndex pf, const VfChange& change);
Result<void> add_link(Socket& socket, const LinkSpec& spec);
Result<void> remove_link(Socket& socket, IfIndex index);  // already gone is success
Result<void> add_alt_name(Socket& socket, IfIndex index, std::string_view name);
// Already gone is success.
Result<void> remove_alt_name(Socket& socket, IfIndex index, std::string_view name);

}  // namespace rocelane::netlink
