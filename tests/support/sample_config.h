// SPDX-License-Identifier: Apache-2.0
// A configuration that uses every key once.
#pragma once

#include <string_view>

namespace rocelane::test {

inline constexpr std::string_view kSampleConfig = R"({
  "resourceList": [
    {"resourcePrefix": "rdma", "resourceName": "roce", "type": "sriov", "attach": "chained",
     "network": "train", "rail": 1, "nodeSelector": {"gpu": "h100"}, "deviceType": "netDevice",
     "excludeTopology": true, "additionalInfo": {"*": {"token": "x"}, "0000:86:00.1": {"token": "y"}},
     "selectors": [
       {"pfNames": ["ens1f0#0-3,7"], "isRdma": true, "drivers": ["mlx5_core"],
        "vendors": ["15B3"], "devices": ["101e"], "pciAddresses": ["03:02.0"],
        "acpiIndexes": ["101"], "rootDevices": ["0000:86:00.0#0-1"], "linkTypes": ["ether"],
        "needVhostNet": false, "vdpaType": "", "pKeys": []}]},
    {"resourceName": "soft", "type": "softRoce", "selectors": {"drivers": ["igbvf"]}},
    {"resourceName": "slots", "type": "shared"}],
  "networks": [
    {"name": "train", "vlan": 100, "vlanQoS": 3, "mtu": 4200, "trafficClass": 106,
     "interface": "roce", "vrf": {"mode": "table", "table": 100},
     "ipam": {"type": "host-local", "mode": "flat", "subnet": "10.56.0.0/16", "blockSize": 28,
              "gateway": "10.56.0.1", "rangeStart": "10.56.0.10", "rangeEnd": "10.56.255.250",
              "routes": [{"dst": "10.57.0.0/16", "gw": "10.56.0.1", "mtu": 1500}]},
     "spoofchk": "on", "trust": "off", "namespaces": ["default", "*"]},
    {"name": "six", "ipam": {"type": "host-local", "subnet": "fd00:56::/64"}},
    {"name": "own", "ipam": {"type": "whereabouts", "range": "10.9.0.0/24", "log_level": "debug"}}],
  "fabric": {"rdmaNetnsMode": "auto",
             "ports": [{"pfNames": ["ens1f0"], "numVfs": 8, "mtu": 4200, "profile": "lossless-dcqcn",
                        "nodeSelector": {"gpu": "h100"}}],
             "profiles": {"mine": {"pfc": [3]}}},
  "memlock": {"limit": "64Mi"},
  "probes": {"interval": "500ms", "peers": 8}
})";

}  // namespace rocelane::test
