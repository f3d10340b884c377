// SPDX-License-Identifier: Apache-2.0
// The parts of the configuration document, one reader each. Mistakes go into the Problems of the
// value; the answer then has what could be read, so that later checks still see every entry.
#pragma once

#include <string_view>

#include "lib/config/config.h"
#include "lib/json/json_reader.h"

namespace rocelane::config {

Pool read_pool(const json::Value& value);
Network read_network(const json::Value& value);
void read_fabric(const json::Value& value, Config& config);
Memlock read_memlock(const json::Value& value);
Probes read_probes(const json::Value& value);

// Each checks one string and answers it.
Result<std::string> parse_name(std::string_view text);            // ^[a-zA-Z0-9_-]+$, at most 63
Result<std::string> parse_interface_name(std::string_view text);  // what the kernel takes

inline constexpr std::uint32_t kMinMtu = 68;     // RFC 791; the kernel's ETH_MIN_MTU
inline constexpr std::uint32_t kMaxMtu = 65535;  // the kernel's ETH_MAX_MTU

}  // namespace rocelane::config
