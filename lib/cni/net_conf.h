// SPDX-License-Identifier: Apache-2.0
// NetConf: the network configuration a runtime hands to roce-cni on stdin, in its two shapes: the
// entry chained into a node's conflist, and a NetworkAttachmentDefinition with sriov-cni's fields
// and `deviceID`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/mac_address.h"
#include "lib/base/result.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni {

// deviceID present (or what Multus writes: pciBusID, runtimeConfig.deviceID): kNad; else prevResult
// present (or a command without one, DEL/GC/STATUS, whose entry names no device): kChained.
enum class Mode { kChained, kNad };

struct NadFields {
  std::string device_id;
  std::optional<std::uint16_t> vlan;  // absent means 0
  std::optional<std::uint8_t> vlan_qos;
  std::optional<std::uint16_t> vlan_proto;  // 0x8100 or 0x88a8
  std::optional<MacAddress> mac;  // runtimeConfig.mac, else `mac`; CNI_ARGS MAC= is in Call::args
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<std::string> link_state;  // auto, enable, disable
  std::optional<std::uint32_t> min_tx_rate;
  std::optional<std::uint32_t> max_tx_rate;
  std::optional<std::uint32_t> mtu;
  std::string type = "sriov";  // `deviceType`, a key of ours: "sriov" or "softRoce"

  bool operator==(const NadFields&) const = default;
};

struct Places {
  std::string config_file;
  std::string state_dir;
  std::string cdi_dir;
  std::string sysfs_root;
  std::string proc_root = "/proc";
  std::string pod_resources_socket;
  std::string oci_hook;

  bool operator==(const Places&) const = default;
};

struct NetConf {
  std::string cni_version;
  std::string name;
  std::string type;
  Mode mode = Mode::kChained;
  Places places;
  std::optional<NadFields> nad;
  std::string ipam;         // the ipam object as JSON text; empty: none
  std::string prev_result;  // as JSON text, byte for byte what goes back out; empty: none
  std::map<std::string, std::string> pod_annotations;  // runtimeConfig, when the runtime gives them
  std::string log_level;
  std::string log_file;
  std::vector<std::pair<std::string, std::string>> valid_attachments;  // GC: containerID, ifname
  std::string raw;  // the whole document, from which a delegate's stdin is made
};

// With error 7 (invalid; all problems in one message) on DEL `conf` is there too, with what could
// be read: a spoilt configuration must not keep an attachment from being released. Otherwise
// exactly one is there; the codes are 1 (version), 6 (not JSON) and 7.
struct NetConfOutcome {
  std::optional<NetConf> conf;
  std::optional<CniError> error;
};
NetConfOutcome parse_net_conf(std::string_view text, Command command);

// What a delegated IPAM plugin gets on stdin: name, cniVersion, the given ipam object, args and
// runtimeConfig as they came.
std::string encode_delegate_conf(const NetConf& conf, std::string_view ipam);

}  // namespace rocelane::cni
