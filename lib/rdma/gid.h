// SPDX-License-Identifier: Apache-2.0
// The GID table of an RDMA port, read from sysfs (Documentation/ABI/stable/sysfs-class-infiniband).
// Indices move whenever addresses change: a GID is chosen by type, netdev and address, never by
// number.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/ip_address.h"
#include "lib/base/result.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::rdma {

enum class GidType { kIb, kRoceV1, kRoceV2 };

struct Gid {
  std::uint32_t index = 0;
  std::array<std::uint8_t, 16> bytes{};
  GidType type = GidType::kIb;
  std::string netdev;  // empty when the kernel does not say

  [[nodiscard]] std::string to_string() const;  // "0000:0000:0000:0000:0000:ffff:0a38:0005"
  bool operator==(const Gid&) const = default;
};

// Non-zero entries only. A device that vanished half-way: kNotFound.
Result<std::vector<Gid>> read_gids(const sysfs::Sysfs& sysfs, std::string_view device,
                                   std::uint32_t port);

// The RoCE v2 entry of exactly this address on exactly this netdev, among the first `slots` of the
// port's table. Tables have hundreds of slots (rxe: 1024), each a file, and new entries go into the
// first free one: who waits for an entry looks at the first few often and at all of them now and
// then. A device that vanished: kNotFound.
Result<std::optional<Gid>> find_gid(const sysfs::Sysfs& sysfs, std::string_view device,
                                    std::uint32_t port, const IpAddress& address,
                                    std::string_view netdev, std::uint32_t slots);

// The same choice from a table that was read.
std::optional<Gid> select_gid(const std::vector<Gid>& gids, const IpAddress& address,
                              std::string_view netdev);

}  // namespace rocelane::rdma
