// SPDX-License-Identifier: Apache-2.0
// The commands of the control socket: one JSON object in, one JSON object out.
#pragma once

#include <string>
#include <string_view>

#include "tests/lab/switch/switch.h"

namespace rocelane::lab {

// Does what the line asks and answers {"ok":true,...}, or changes nothing and answers
// {"ok":false,"error":"..."}. Without a line end.
std::string answer(Switch& fabric, std::string_view line);

}  // namespace rocelane::lab
