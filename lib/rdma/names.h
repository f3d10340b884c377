// SPDX-License-Identifier: Apache-2.0
// Names derived from a deviceID, equal in every program, so that none has to ask another.
#pragma once

#include <string>
#include <string_view>

namespace rocelane::rdma {

// The soft RoCE device made for this deviceID: "rxe" and the ID's letters and digits
// (0000:01:10.0 -> rxe000001100).
std::string soft_device_name(std::string_view device_id);

// CDI: kind "rocelane.io/roce", device name = deviceID, one spec file per device.
inline constexpr std::string_view kCdiKind = "rocelane.io/roce";
std::string cdi_device(std::string_view device_id);     // "rocelane.io/roce=0000:01:10.0"
std::string cdi_spec_file(std::string_view device_id);  // "rocelane-0000:01:10.0.json"

}  // namespace rocelane::rdma
