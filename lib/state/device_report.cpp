// SPDX-License-Identifier: Apache-2.0
#include "lib/state/device_report.h"

#include <nlohmann/json.hpp>

#include "lib/json/json_document.h"

namespace rocelane::state {

std::string encode_device_report(const std::vector<ReportedDevice>& devices) {
  auto list = nlohmann::json::array();
  for (const auto& device : devices) {
    list.push_back({{"id", device.id},
                    {"resource", device.resource},
                    {"healthy", device.healthy},
                    {"reason", device.reason}});
  }
  return json::encode_pretty({{"version", kDeviceReportVersion}, {"devices", std::move(list)}});
}

}  // namespace rocelane::state
