// SPDX-License-Identifier: Apache-2.0
// <stateDir>/devices.json: what the device plugin lists to kubelet and why a device is withheld,
// for the agent, which exports it. Written by the plugin alone.
#pragma once

#include <string>
#include <vector>

namespace rocelane::state {

struct ReportedDevice {
  std::string id;        // the deviceID
  std::string resource;  // "rdma/roce"
  bool healthy = true;
  std::string reason;  // why not healthy; else empty

  bool operator==(const ReportedDevice&) const = default;
};

inline constexpr int kDeviceReportVersion = 1;

// {"devices":[{"healthy":true,"id":"0000:01:10.0","reason":"","resource":"rdma/roce"}],"version":1}
std::string encode_device_report(const std::vector<ReportedDevice>& devices);

}  // namespace rocelane::state
