// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/nad_fields.h"

#include <array>
#include <utility>

namespace rocelane::cni {

namespace {

constexpr std::uint16_t kMaxVlan = 4094;  // IEEE 802.1Q: 4095 is reserved
constexpr std::uint8_t kMaxPriority = 7;
constexpr std::uint32_t kMinMtu = 68;  // RFC 791; the kernel's ETH_MIN_MTU
constexpr std::uint32_t kMaxMtu = 65535;
constexpr std::uint16_t kProto8021q = 0x8100;  // linux/if_ether.h ETH_P_8021Q
constexpr std::uint16_t kProto8021ad = 0x88a8;

constexpr std::array<std::string_view, 11> kDeviceKeys{
    "vlan",       "vlanQoS",     "vlanProto",   "mac", "spoofchk",  "trust",
    "link_state", "min_tx_rate", "max_tx_rate", "mtu", "deviceType"};

// Multus writes the same ID as `pciBusID`, and as `runtimeConfig.deviceID` for the capability.
std::string find_device_id(json::Object& object) {
  std::string device_id;
  object.read("deviceID", device_id);
  std::string bus_id;
  if (object.read("pciBusID", bus_id) && !device_id.empty() && bus_id != device_id) {
    object.problem("pciBusID", "is another device than deviceID");
  }
  if (const auto runtime = object.find("runtimeConfig"); runtime && runtime->is_object()) {
    json::Object capabilities(*runtime);
    capabilities.allow_newer_keys();
    if (device_id.empty()) {
      capabilities.read("deviceID", device_id);
    }
  }
  return device_id.empty() ? bus_id : device_id;
}

void read_vlan(json::Object& object, NadFields& nad) {
  object.read("vlan", nad.vlan, std::uint16_t{0}, kMaxVlan);
  object.read("vlanQoS", nad.vlan_qos, std::uint8_t{0}, kMaxPriority);
  object.choose<std::uint16_t>("vlanProto", nad.vlan_proto,
                               {{"802.1q", kProto8021q},
                                {"802.1Q", kProto8021q},
                                {"802.1ad", kProto8021ad},
                                {"802.1AD", kProto8021ad}});
  const bool tagged = nad.vlan.value_or(0) != 0;
  if (nad.vlan_qos.value_or(0) != 0 && !tagged) {
    object.problem("vlanQoS", "needs a vlan other than 0");
  }
  if (nad.vlan_proto.value_or(kProto8021q) != kProto8021q && !tagged) {
    object.problem("vlanProto", "needs a vlan other than 0");
  }
}

void read_rates(json::Object& object, NadFields& nad) {
  object.read("min_tx_rate", nad.min_tx_rate);
  object.read("max_tx_rate", nad.max_tx_rate);
  const auto most = nad.max_tx_rate.value_or(0);  // 0: no limit
  if (most != 0 && nad.min_tx_rate.value_or(0) > most) {
    object.problem("min_tx_rate", "is larger than max_tx_rate");
  }
}

}  // namespace

std::optional<NadFields> read_nad_fields(json::Object& object) {
  NadFields nad;
  nad.device_id = find_device_id(object);
  if (nad.device_id.empty()) {
    for (const auto key : kDeviceKeys) {
      if (object.find(key)) {
        object.problem(key, "has no effect without deviceID");
      }
    }
    return std::nullopt;
  }
  read_vlan(object, nad);
  object.parse("mac", nad.mac, MacAddress::parse);
  object.choose<bool>("spoofchk", nad.spoofchk, {{"on", true}, {"off", false}});
  object.choose<bool>("trust", nad.trust, {{"on", true}, {"off", false}});
  object.choose<std::string>("link_state", nad.link_state,
                             {{"auto", "auto"}, {"enable", "enable"}, {"disable", "disable"}});
  read_rates(object, nad);
  object.read("mtu", nad.mtu, kMinMtu, kMaxMtu);
  object.choose<std::string>("deviceType", nad.type,
                             {{"sriov", "sriov"}, {"softRoce", "softRoce"}});
  return nad;
}

}  // namespace rocelane::cni
