// SPDX-License-Identifier: Apache-2.0
// FakeVm: what QEMU's dgram network backend is for the switch: binds vm<i>, sends to sw<i>.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/unique_fd.h"

namespace rocelane::test {

class FakeVm {
 public:
  // Replaces a socket file that is already there, as QEMU does.
  FakeVm(const std::string& directory, int port);

  // Waits while the switch is behind. False: there is no switch.
  [[nodiscard]] bool send(const std::vector<std::uint8_t>& frame) const;

  // The next frame, waited for up to kPatience. Absent: none came.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> receive() const;
  // What is there now.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> receive_now() const;

  // Far above what a loaded machine needs; only a failing test waits so long.
  static constexpr std::chrono::seconds kPatience{20};

 private:
  std::string switch_path_;
  UniqueFd socket_;
};

}  // namespace rocelane::test
