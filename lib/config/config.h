// SPDX-License-Identifier: Apache-2.0
// The configuration: device pools, networks, fabric, memlock, probes. One strict JSON document
// (docs/configuration.md lists every key). parse_config() is pure and never looks at the host;
// every problem is reported in one answer, each with its JSON path.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/ip_address.h"
#include "lib/base/result.h"

namespace rocelane::config {

enum class PoolType { kSriov, kSoftRoce, kShared };
enum class Attach { kChained, kMultus };

std::string_view to_string(PoolType type);
std::string_view to_string(Attach attach);

// "ens1f0#0-3,7": a PF name and the VF indices meant; none: all.
struct PfSelector {
  std::string name;
  std::vector<std::uint32_t> vfs;

  [[nodiscard]] bool matches(std::string_view pf, std::uint32_t vf) const;
  bool operator==(const PfSelector&) const = default;
};

// All given keys must match; an absent one matches everything.
struct Selector {
  std::vector<PfSelector> pf_names;
  std::vector<std::string> drivers;
  std::vector<std::string> vendors;
  std::vector<std::string> devices;
  std::vector<std::string> pci_addresses;
  std::optional<bool> is_rdma;

  bool operator==(const Selector&) const = default;
};

struct Pool {
  std::string prefix = "rdma";
  std::string name;
  PoolType type = PoolType::kSriov;
  Attach attach = Attach::kMultus;  // kChained as soon as `network` is given
  std::string network;              // empty: none
  std::vector<Selector> selectors;  // any may match; empty: everything
  bool exclude_topology = false;
  std::map<std::string, std::string> node_selector;  // label -> value; empty: every node

  [[nodiscard]] std::string resource() const { return prefix + "/" + name; }
  bool operator==(const Pool&) const = default;
};

struct IpamRange {
  IpPrefix subnet;
  std::optional<IpAddress> range_start;  // this node's block, filled in when the agent renders
  std::optional<IpAddress> range_end;
  std::optional<IpAddress> gateway;

  bool operator==(const IpamRange&) const = default;
};

struct Ipam {
  std::string type = "host-local";  // or static, whereabouts, dhcp: handed on as written in `raw`
  std::optional<IpamRange> range;   // host-local
  std::uint8_t block_size = 28;     // prefix length of one node's block
  std::string raw;                  // the ipam object as JSON text, for the delegate

  bool operator==(const Ipam&) const = default;
};

struct Network {
  std::string name;
  std::uint16_t vlan = 0;
  std::uint8_t vlan_qos = 0;
  std::optional<std::uint32_t> mtu;
  std::optional<std::uint8_t> traffic_class;
  std::string interface = "roce";  // roce0, roce1, …
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<Ipam> ipam;
  std::vector<std::string> namespaces{"*"};

  bool operator==(const Network&) const = default;
};

struct Port {
  std::vector<std::string> pf_names;
  std::optional<std::uint32_t> num_vfs;  // absent: left alone
  std::optional<std::uint32_t> mtu;
  std::map<std::string, std::string> node_selector;

  bool operator==(const Port&) const = default;
};

struct Memlock {
  std::optional<std::uint64_t> limit_bytes;  // absent: unlimited

  bool operator==(const Memlock&) const = default;
};

struct Config {
  std::vector<Pool> pools;
  std::vector<Network> networks;
  std::vector<Port> ports;
  Memlock memlock;

  [[nodiscard]] const Network* find_network(std::string_view name) const;
  [[nodiscard]] const Pool* find_pool(std::string_view resource) const;
  bool operator==(const Config&) const = default;
};

// Every problem in one kInvalidInput, one per line: "$.resourceList[0].selectors[0].pfName: unknown
// key (did you mean pfNames?)".
Result<Config> parse_config(std::string_view text);
// read_file() + parse_config(); the error names the file.
Result<Config> load_config(const std::string& path);

// Default places on the host; every one can be given by flag, environment or conflist entry.
inline constexpr std::string_view kStateDir = "/var/lib/rocelane";
inline constexpr std::string_view kRenderedConfig = "/var/lib/rocelane/config.json";
inline constexpr std::string_view kCdiDir = "/var/run/cdi";
inline constexpr std::string_view kSysfsRoot = "/sys";
inline constexpr std::string_view kPodResourcesSocket =
    "/var/lib/kubelet/pod-resources/kubelet.sock";
inline constexpr std::string_view kDevicePluginDir = "/var/lib/kubelet/device-plugins";
inline constexpr std::string_view kOciHook = "/var/lib/rocelane/bin/roce-oci-hook";

}  // namespace rocelane::config
