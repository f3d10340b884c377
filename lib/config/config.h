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

// "ens1f0#0-3,7" (or "0000:86:00.0#0-1"): a PF and the VF indices meant; none: all.
struct PfSelector {
  std::string name;
  std::vector<std::uint32_t> vfs;  // ascending, each once

  [[nodiscard]] bool matches(std::string_view pf, std::uint32_t vf) const;
  bool operator==(const PfSelector&) const = default;
};

// A device as far as selectors look at it. Empty or absent: the device has no such thing.
struct Candidate {
  std::string pf_name;
  std::string pf_address;  // PCI address of the PF: what rootDevices names
  std::optional<std::uint32_t> vf_index;
  std::string driver;
  std::string vendor;       // "15b3"
  std::string device;       // "101e"
  std::string pci_address;  // "0000:3b:00.2"
  std::string acpi_index;
  bool is_rdma = false;
};

// All given keys must match; an absent one matches everything.
struct Selector {
  std::vector<PfSelector> pf_names;
  std::vector<PfSelector> root_devices;  // the PF by PCI address
  std::vector<std::string> drivers;
  std::vector<std::string> vendors;        // lower-case hex
  std::vector<std::string> devices;        // lower-case hex
  std::vector<std::string> pci_addresses;  // as PciAddress::to_string() writes them
  std::vector<std::string> acpi_indexes;
  std::optional<bool> is_rdma;
  bool need_vhost_net = false;  // kept; nothing acts on it

  // Every key at once: nobody else needs to know which keys exist.
  [[nodiscard]] bool matches(const Candidate& candidate) const;

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
  std::optional<std::uint32_t> rail;
  // PCI address or "*" -> name -> value; kept, nothing hands it to pods yet.
  std::map<std::string, std::map<std::string, std::string>> additional_info;
  std::map<std::string, std::string> node_selector;  // label -> value; empty: every node

  [[nodiscard]] bool selects(const Candidate& candidate) const;  // any selector, or none given
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
  std::string type = "host-local";  // or static, whereabouts, dhcp
  // host-local with `subnet`. Absent: another type, or host-local's own form with `ranges`.
  std::optional<IpamRange> range;
  std::uint8_t block_size = 28;  // prefix length of one node's block (IPv6: 124 when not given)
  // The ipam object as JSON text, as the delegate understands it: made from `range` (with `ranges`,
  // `routes`, `dataDir`), else the keys as they were written.
  std::string raw;

  bool operator==(const Ipam&) const = default;
};

enum class VrfMode {
  kTable,   // own routing table and rules
  kDevice,  // a VRF link in the pod
};

// Kept; not applied yet.
struct Vrf {
  VrfMode mode = VrfMode::kTable;
  std::uint32_t table = 0;

  bool operator==(const Vrf&) const = default;
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
  std::optional<Vrf> vrf;
  std::optional<Ipam> ipam;
  std::vector<std::string> namespaces{"*"};

  bool operator==(const Network&) const = default;
};

struct Port {
  std::vector<std::string> pf_names;
  std::optional<std::uint32_t> num_vfs;  // absent: left alone
  std::optional<std::uint32_t> mtu;
  std::string profile;  // name of a lossless profile, empty: none; kept, not applied yet
  std::map<std::string, std::string> node_selector;

  bool operator==(const Port&) const = default;
};

enum class RdmaNetnsMode { kAuto, kShared, kExclusive };

struct Memlock {
  std::optional<std::uint64_t> limit_bytes;  // absent: unlimited

  bool operator==(const Memlock&) const = default;
};

struct Probes {
  std::chrono::milliseconds interval{500};
  std::uint32_t peers = 8;

  bool operator==(const Probes&) const = default;
};

struct Config {
  std::vector<Pool> pools;
  std::vector<Network> networks;
  std::vector<Port> ports;
  RdmaNetnsMode rdma_netns_mode = RdmaNetnsMode::kAuto;  // kept; not applied yet
  std::map<std::string, std::string> profiles;           // name -> JSON text; kept
  Memlock memlock;
  Probes probes;

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
// host-local's dataDir is a directory per network below it: the networks may share a CNI name.
inline constexpr std::string_view kIpamDir = "/var/lib/rocelane/ipam";
inline constexpr std::string_view kCdiDir = "/var/run/cdi";
inline constexpr std::string_view kSysfsRoot = "/sys";
inline constexpr std::string_view kPodResourcesSocket =
    "/var/lib/kubelet/pod-resources/kubelet.sock";
inline constexpr std::string_view kDevicePluginDir = "/var/lib/kubelet/device-plugins";
inline constexpr std::string_view kOciHook = "/var/lib/rocelane/bin/roce-oci-hook";

}  // namespace rocelane::config
