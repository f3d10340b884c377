// SPDX-License-Identifier: Apache-2.0
// MacAddress: an EUI-48 hardware address.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane {

struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};

  // "02:00:5e:10:00:01", any letter case. Anything else: kInvalidInput.
  static Result<MacAddress> parse(std::string_view text);
  // Exactly six bytes, else kInvalidInput.
  static Result<MacAddress> from_bytes(std::span<const std::uint8_t> bytes);

  [[nodiscard]] std::string to_string() const;  // lower case
  [[nodiscard]] bool is_zero() const { return *this == MacAddress{}; }
  [[nodiscard]] bool is_multicast() const { return (bytes[0] & 1U) != 0; }

  auto operator<=>(const MacAddress&) const = default;
};

}  // namespace rocelane
