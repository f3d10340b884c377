// SPDX-License-Identifier: Apache-2.0
// Plan and Host: what one attachment shall be, and where on this host things lie. Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/mac_address.h"
#include "lib/config/config.h"
#include "lib/state/record.h"
#include "lib/state/store.h"

namespace rocelane::attachment {

// VF settings on the PF and on the VF's netdev. Absent: left as it is (VLAN 0 is a value).
struct VfSettings {
  std::optional<std::uint16_t> vlan;
  std::uint8_t qos = 0;
  std::uint16_t vlan_proto = 0x8100;
  std::optional<MacAddress> mac;
  std::optional<bool> spoofchk;
  std::optional<bool> trust;
  std::optional<std::uint32_t> link_state;  // IFLA_VF_LINK_STATE_*
  std::optional<std::uint32_t> min_tx_rate;
  std::optional<std::uint32_t> max_tx_rate;
  std::optional<std::uint32_t> mtu;
};

struct Plan {
  std::string container_id;
  std::string netns_path;
  std::string if_name;           // ours inside the pod
  std::string cni_network_name;  // `name` of the calling network configuration
  std::string cni_if_name;       // CNI_IFNAME of the call
  state::PodRef pod;
  std::string network;
  std::string resource;
  std::string device_id;
  config::PoolType type = config::PoolType::kSriov;
  VfSettings vf;
  std::string ipam;  // complete stdin of the IPAM delegate; empty: no addresses
  std::optional<std::uint64_t> memlock_bytes;  // absent: unlimited
};

// Places on this host and what every step needs of it.
struct Host {
  state::Store store;
  std::string sysfs_root;
  std::string proc_root;
  std::string cdi_dir;
  std::string oci_hook;
  std::vector<std::string> cni_path;  // where IPAM delegates are looked for
};

}  // namespace rocelane::attachment
