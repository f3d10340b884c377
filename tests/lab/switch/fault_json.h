// SPDX-License-Identifier: Apache-2.0
// The JSON forms of directions and faults, as the control socket speaks them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "tests/lab/switch/fault.h"
#include "tests/lab/switch/request.h"

namespace rocelane::lab {

// Reads "port", which must be below port_count.
PortIndex read_port(Request& request, std::uint16_t port_count);
// Reads "direction": "in", "out" or "both" (also when absent).
Directions read_directions(Request& request);
std::string to_string(Directions directions);  // "none" when neither

// Everything of a `fault` command; problems are left in `request`.
FaultSpec read_fault(Request& request, std::uint16_t port_count);
nlohmann::json encode_fault(const Fault& fault);

}  // namespace rocelane::lab
