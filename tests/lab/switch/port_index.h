// SPDX-License-Identifier: Apache-2.0
// PortIndex and Direction: which port of the switch, and which way on its wire.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rocelane::lab {

struct PortIndex {
  std::uint16_t value = 0;

  bool operator==(const PortIndex&) const = default;
};

// Seen from the switch, as on any switch: in comes from the VM, out goes to the VM.
enum class Direction : std::uint8_t { kIn = 0, kOut = 1 };
inline constexpr std::size_t kDirections = 2;

struct Directions {
  bool in = false;
  bool out = false;

  static constexpr Directions both() { return {.in = true, .out = true}; }
  [[nodiscard]] bool contains(Direction direction) const {
    return direction == Direction::kIn ? in : out;
  }
  bool operator==(const Directions&) const = default;
};

}  // namespace rocelane::lab
