// SPDX-License-Identifier: Apache-2.0
// "did you mean …": the nearest of the known words.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace rocelane::json {

// The known word that `word` is most likely a slip of (other letter case, up to two edits, or a
// third of its letters); nullopt when none is near.
std::optional<std::string_view> find_similar(std::string_view word,
                                             std::span<const std::string_view> known);

}  // namespace rocelane::json
