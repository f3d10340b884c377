// SPDX-License-Identifier: Apache-2.0
// PciAddress: domain:bus:device.function of a PCI function, as sysfs writes it (0000:3b:00.2).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane {

struct PciAddress {
  std::uint32_t domain = 0;  // VMD and Azure hosts have domains above 0xffff
  std::uint8_t bus = 0;
  std::uint8_t device = 0;    // 0-31
  std::uint8_t function = 0;  // 0-7

  // "0000:3b:00.2" or the short "3b:00.2" (domain 0). Anything else: kInvalidInput.
  static Result<PciAddress> parse(std::string_view text);

  [[nodiscard]] std::string to_string() const;  // with the domain

  auto operator<=>(const PciAddress&) const = default;
};

}  // namespace rocelane
