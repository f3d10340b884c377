// SPDX-License-Identifier: Apache-2.0
// networks: VLAN, MTU, addresses.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "lib/config/readers.h"

namespace rocelane::config {

namespace {

constexpr std::uint16_t kMaxVlan = 4094;  // IEEE 802.1Q: 4095 is reserved
constexpr std::uint8_t kMaxPriority = 7;
constexpr std::size_t kMaxInterfacePrefix = 13;  // leaves two digits of IFNAMSIZ's 15 characters
constexpr unsigned kHostLocalSpare = 2;          // host-local refuses longer subnets than /30, /126
constexpr std::uint8_t kDefaultBlock6 = 124;     // sixteen addresses, as /28 has
constexpr std::uint32_t kFirstReservedTable = 253;  // default, main, local (linux/rtnetlink.h)
constexpr std::uint32_t kLastReservedTable = 255;

Error bad(std::string message) { return Error::make(Code::kInvalidInput, std::move(message)); }

Result<std::string> parse_interface_prefix(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(auto name, parse_interface_name(text));
  if (name.size() > kMaxInterfacePrefix) {
    return bad(fmt::format("\"{}\" is longer than {} characters: the index must fit behind it",
                           text, kMaxInterfacePrefix));
  }
  if (name == "eth") {
    return bad("\"eth\" would make eth0, the pod's primary interface");
  }
  return name;
}

Result<std::string> parse_plugin_type(std::string_view text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-';
  });
  if (text.empty() || text.front() == '.' || !plain) {
    return bad(fmt::format("must be the file name of an IPAM plugin, is \"{}\"", text));
  }
  return std::string(text);
}

Result<std::string> parse_absolute_path(std::string_view text) {
  if (text.empty() || text.front() != '/') {
    return bad(fmt::format("must be an absolute path, is \"{}\"", text));
  }
  return std::string(text);
}

// A Kubernetes namespace is a DNS label (RFC 1123).
Result<std::string> parse_namespace(std::string_view text) {
  const bool label = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-';
  });
  if (text != "*" &&
      (text.empty() || text.size() > 63 || !label || text.front() == '-' || text.back() == '-')) {
    return bad(fmt::format(R"(must be the name of a namespace or "*", is "{}")", text));
  }
  return std::string(text);
}

void check_in_subnet(const json::Object& object, std::string_view key, const IpPrefix& subnet,
                     const std::optional<IpAddress>& address) {
  if (address && !subnet.contains(*address)) {
    object.problem(
        key, fmt::format("{} is not in the subnet {}", address->to_string(), subnet.to_string()));
  }
}

bool read_subnet(json::Object& object, IpPrefix& subnet) {
  if (!object.require("subnet") || !object.parse("subnet", subnet, IpPrefix::parse)) {
    return false;
  }
  const unsigned longest = (subnet.address.v6 ? 128U : 32U) - kHostLocalSpare;
  if (subnet.network() != subnet) {
    object.problem("subnet", fmt::format("{} has host bits, did you mean {}?", subnet.to_string(),
                                         subnet.network().to_string()));
    return false;
  }
  if (subnet.length > longest) {
    object.problem("subnet", fmt::format("{} is too small, the longest prefix is /{}",
                                         subnet.to_string(), longest));
    return false;
  }
  return true;
}

void read_range(json::Object& object, Ipam& ipam) {
  IpamRange range;
  const bool subnet_is_good = read_subnet(object, range.subnet);
  object.parse("gateway", range.gateway, IpAddress::parse);
  object.parse("rangeStart", range.range_start, IpAddress::parse);
  object.parse("rangeEnd", range.range_end, IpAddress::parse);
  const bool v6 = range.subnet.address.v6;
  ipam.block_size = v6 ? kDefaultBlock6 : ipam.block_size;
  object.read("blockSize", ipam.block_size, std::uint8_t{1}, std::uint8_t{128});
  if (!subnet_is_good) {
    return;
  }
  check_in_subnet(object, "gateway", range.subnet, range.gateway);
  check_in_subnet(object, "rangeStart", range.subnet, range.range_start);
  check_in_subnet(object, "rangeEnd", range.subnet, range.range_end);
  if (range.range_start && range.range_end && *range.range_end < *range.range_start) {
    object.problem("rangeEnd", "is before rangeStart");
  }
  const unsigned longest = v6 ? 128 : 32;
  if (ipam.block_size < range.subnet.length || ipam.block_size > longest) {
    object.problem("blockSize",
                   fmt::format("must be {}-{} in the subnet {}, is {}", range.subnet.length,
                               longest, range.subnet.to_string(), ipam.block_size));
  }
  ipam.range = range;
}

// Checked here, handed on as they are.
nlohmann::json read_routes(const json::Value& value) {
  nlohmann::json routes = nlohmann::json::array();
  for (const auto& item : value.items()) {
    IpPrefix destination;
    std::optional<IpAddress> gateway;
    std::optional<std::uint32_t> number;
    json::Object object(item);
    const bool known = object.require("dst") && object.parse("dst", destination, IpPrefix::parse);
    object.parse("gw", gateway, IpAddress::parse);
    for (const auto* key : {"mtu", "advmss", "priority", "table", "scope"}) {
      object.read(key, number);
    }
    if (known && gateway && gateway->v6 != destination.address.v6) {
      object.problem("gw", "is of another address family than dst");
    }
    routes.push_back(item.json());
  }
  return routes;
}

// The form host-local reads: its README, "Network configuration reference".
std::string encode_host_local(const IpamRange& range, const std::string& data_dir,
                              nlohmann::json routes) {
  nlohmann::json one{{"subnet", range.subnet.to_string()}};
  if (range.range_start) {
    one["rangeStart"] = range.range_start->to_string();
  }
  if (range.range_end) {
    one["rangeEnd"] = range.range_end->to_string();
  }
  if (range.gateway) {
    one["gateway"] = range.gateway->to_string();
  }
  auto ranges = nlohmann::json::array({nlohmann::json::array({std::move(one)})});
  nlohmann::json ipam{{"type", "host-local"}, {"dataDir", data_dir}, {"ranges", std::move(ranges)}};
  if (!routes.empty()) {
    ipam["routes"] = std::move(routes);
  }
  return json::encode(ipam);
}

void read_host_local(json::Object& object, const std::string& network, Ipam& ipam) {
  read_range(object, ipam);
  std::string data_dir = fmt::format("{}/{}", kIpamDir, network);
  object.parse("dataDir", data_dir, parse_absolute_path);
  std::string mode = "flat";
  object.choose<std::string>("mode", mode, {{"flat", "flat"}, {"routed", "routed"}});
  if (mode == "routed") {
    object.problem("mode", "\"routed\" is not supported by this version");
  }
  const auto routes = object.find("routes");
  auto checked = routes ? read_routes(*routes) : nlohmann::json::array();
  if (ipam.range) {
    ipam.raw = encode_host_local(*ipam.range, data_dir, std::move(checked));
  }
}

Ipam read_ipam(const json::Value& value, const std::string& network) {
  Ipam ipam;
  json::Object object(value);
  if (object.require("type")) {
    object.parse("type", ipam.type, parse_plugin_type);
  }
  if (ipam.type == "host-local" && !object.find("ranges")) {
    read_host_local(object, network, ipam);
  } else {
    object.allow_newer_keys();  // the delegate's own language
    ipam.raw = json::encode(value.json());
  }
  return ipam;
}

Vrf read_vrf(const json::Value& value) {
  Vrf vrf;
  json::Object object(value);
  if (object.require("mode")) {
    object.choose<VrfMode>("mode", vrf.mode,
                           {{"table", VrfMode::kTable}, {"device", VrfMode::kDevice}});
  }
  if (object.require("table") && object.read("table", vrf.table, 1U, 0xffffffffU) &&
      vrf.table >= kFirstReservedTable && vrf.table <= kLastReservedTable) {
    object.problem("table", fmt::format("{} is one of the kernel's own ({}-{})", vrf.table,
                                        kFirstReservedTable, kLastReservedTable));
  }
  return vrf;
}

void read_namespaces(json::Object& object, Network& network) {
  const auto list = object.find("namespaces");
  if (!list || !list->is_array()) {
    object.read("namespaces", network.namespaces);
    return;
  }
  network.namespaces.clear();
  for (const auto& item : list->items()) {
    const auto text = item.text();
    const auto checked = text ? parse_namespace(*text) : Result<std::string>(std::string());
    if (!checked.ok()) {
      item.problem(checked.error().message);
    }
    network.namespaces.push_back(text.value_or(""));
  }
}

void read_link(json::Object& object, Network& network) {
  object.read("vlan", network.vlan, std::uint16_t{0}, kMaxVlan);
  object.read("vlanQoS", network.vlan_qos, std::uint8_t{0}, kMaxPriority);
  if (network.vlan_qos != 0 && network.vlan == 0) {
    object.problem("vlanQoS", "needs a vlan other than 0");
  }
  object.read("mtu", network.mtu, kMinMtu, kMaxMtu);
  object.read("trafficClass", network.traffic_class);
  object.parse("interface", network.interface, parse_interface_prefix);
  object.choose<bool>("spoofchk", network.spoofchk, {{"on", true}, {"off", false}});
  object.choose<bool>("trust", network.trust, {{"on", true}, {"off", false}});
}

}  // namespace

Network read_network(const json::Value& value) {
  Network network;
  json::Object object(value);
  if (object.require("name")) {
    object.parse("name", network.name, parse_name);
  }
  read_link(object, network);
  if (const auto vrf = object.find("vrf")) {
    network.vrf = read_vrf(*vrf);
  }
  if (const auto ipam = object.find("ipam")) {
    network.ipam = read_ipam(*ipam, network.name);
  }
  read_namespaces(object, network);
  return network;
}

}  // namespace rocelane::config
