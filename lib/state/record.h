// SPDX-License-Identifier: Apache-2.0
// Record: everything needed to undo or continue one attachment, on disk before the kernel is
// touched. File <stateDir>/attachments/<containerID>-<ifName>.json; this format is the only
// contract between the CNI program and the agent. Unknown keys of a newer minor version are kept
// out, not an error; another major `version` is kUnsupported.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mac_address.h"
#include "lib/base/result.h"

namespace rocelane::state {

enum class Phase {
  kPlanned,    // written; nothing touched yet
  kChanging,   // the step in `step` is under way or done
  kReady,      // the pod may use the device
  kReleasing,  // a release began and has not finished
};

std::string_view to_string(Phase phase);

struct PodRef {
  std::string ns;
  std::string name;
  std::string uid;

  bool operator==(const PodRef&) const = default;
};

// A netns as it was at ADD. After a reboot or a new sandbox the path may name another one: compare.
struct NetnsRef {
  std::string path;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;

  bool operator==(const NetnsRef&) const = default;
};

// The VF and its netdev as found on the host, to be put back exactly. Absent: the driver did not
// report it, so it is not written back either.
struct SavedVf {
  std::string host_name;
  std::vector<std::string> alt_names;
  std::int32_t if_index = 0;
  MacAddress mac;  // effective
  std::uint32_t mtu = 0;
  bool up = false;
  // On the PF; all absent for a device that is not a VF.
  std::string pf_name;
  std::optional<std::uint32_t> vf_index;
  std::optional<MacAddress> admin_mac;
  std::optional<std::uint16_t> vlan;
  std::optional<std::uint8_t> qos;
  std::optional<std::uint16_t> vlan_proto;
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<std::uint32_t> link_state;
  std::optional<std::uint32_t> min_tx_rate;
  std::optional<std::uint32_t> max_tx_rate;
  std::map<std::string, std::string> sysctls;  // path below net/ -> value, inside the pod's netns

  bool operator==(const SavedVf&) const = default;
};

struct RdmaRef {
  std::string device;     // name inside the pod
  bool created = false;   // we made it (soft RoCE) and remove it; else it is moved or only shared
  std::string host_name;  // name on the host when it differs
  std::string node_guid;  // "0200:00ff:fe00:0001"; empty: none
  std::string chardev;    // "uverbs3"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  bool operator==(const RdmaRef&) const = default;
};

struct Record {
  static constexpr int kVersion = 1;

  std::string generation;  // random per ADD; the CDI spec and the hook carry it too
  std::string container_id;
  std::string if_name;           // name of our interface in the pod: "roce0"
  std::string cni_network_name;  // `name` of the network configuration that called us
  std::string cni_if_name;       // CNI_IFNAME of that call
  PodRef pod;
  std::string network;   // of the config; empty in NAD mode
  std::string resource;  // "rdma/roce"; empty when not known
  std::string device_id;
  std::string pool_type;  // "sriov", "softRoce", "shared"
  NetnsRef netns;
  std::string boot_id;
  Phase phase = Phase::kPlanned;
  std::string step;  // of ADD or DEL: "vf-vlan", "move-netdev", …
  SavedVf saved;
  RdmaRef rdma;
  std::vector<std::string> addresses;  // "10.56.0.5/24"
  std::string gid;
  std::string ipam;      // the delegate's configuration as JSON text, for DEL; empty: none
  std::string cdi_spec;  // path of the spec file; empty: none written
  std::map<std::string, std::int64_t> timings_us;  // step -> microseconds

  bool operator==(const Record&) const = default;
};

// Pure. A damaged text is kInvalidInput and says where.
std::string encode_record(const Record& record);
Result<Record> parse_record(std::string_view text);

}  // namespace rocelane::state
