// SPDX-License-Identifier: Apache-2.0
// IfIndex: a network interface's number, unique within one network namespace only (netdevice(7)).
#pragma once

#include <compare>
#include <cstdint>

namespace rocelane {

struct IfIndex {
  std::int32_t value = 0;  // 0: no interface

  [[nodiscard]] bool valid() const { return value > 0; }
  auto operator<=>(const IfIndex&) const = default;
};

}  // namespace rocelane
