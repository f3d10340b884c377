// SPDX-License-Identifier: Apache-2.0
// A record that has every field.
#pragma once

#include <string>

#include "lib/state/record.h"

namespace rocelane::test {

inline MacAddress mac(std::string_view text) { return MacAddress::parse(text).value_or({}); }

inline state::Record sample_record(const std::string& container_id = "c0ffee",
                                   const std::string& if_name = "roce0") {
  return state::Record{.generation = "7f3a",
                       .container_id = container_id,
                       .if_name = if_name,
                       .cni_network_name = "cbr0",
                       .cni_if_name = "eth0",
                       .pod = {.ns = "default", .name = "trainer-0", .uid = "0b5c"},
                       .network = "train",
                       .resource = "rdma/roce",
                       .device_id = "0000:3b:00.2",
                       .pool_type = "sriov",
                       .netns = {.path = "/run/netns/x", .device = 4, .inode = 4026532001},
                       .boot_id = "1b4e",
                       .phase = state::Phase::kChanging,
                       .step = "move-netdev",
                       .saved = {.host_name = "ens1f0v0",
                                 .alt_names = {"enp59s0f0v0", "räck7"},
                                 .if_index = 17,
                                 .mac = mac("02:00:5e:10:00:01"),
                                 .mtu = 1500,
                                 .up = true,
                                 .pf_name = "ens1f0",
                                 .vf_index = 0,
                                 .admin_mac = mac("02:00:5e:10:00:02"),
                                 .vlan = 77,
                                 .qos = 3,
                                 .vlan_proto = 0x88a8,
                                 .spoofchk = false,
                                 .trust = true,
                                 .link_state = 2,
                                 .min_tx_rate = 0,
                                 .max_tx_rate = 4'000'000'000,
                                 .sysctls = {{"ipv4/conf/roce0/rp_filter", "2"}}},
                       .rdma = {.device = "mlx5_2",
                                .created = true,
                                .host_name = "rocep59s0f0v0",
                                .node_guid = "0200:00ff:fe00:0001",
                                .chardev = "uverbs3",
                                .major = 231,
                                .minor = 195},
                       .addresses = {"10.56.0.5/24", "fd00::5/64"},
                       .gid = "::ffff:10.56.0.5",
                       .ipam = R"({"ipam":{"type":"host-local"},"name":"a \"quoted\" name"})",
                       .cdi_spec = "/var/run/cdi/rocelane-0000:3b:00.2.json",
                       .timings_us = {{"vf-vlan", 120}, {"gid", 9'000'000'000}}};
}

}  // namespace rocelane::test
