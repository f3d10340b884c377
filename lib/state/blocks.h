// SPDX-License-Identifier: Apache-2.0
// The address blocks this node has chosen, kept on its disk so that a restart keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane::state {

using Blocks = std::map<std::string, std::uint64_t>;  // network name -> block number

// Pure. A damaged text is kInvalidInput.
std::string encode_blocks(const Blocks& blocks);
Result<Blocks> parse_blocks(std::string_view text);

// <stateDir>/blocks.json; absent: none chosen yet.
Result<Blocks> load_blocks(const std::string& state_dir);
Result<void> save_blocks(const std::string& state_dir, const Blocks& blocks);

}  // namespace rocelane::state
