// SPDX-License-Identifier: Apache-2.0
// IpAddress and IpPrefix: IPv4 or IPv6 values. A prefix keeps its host bits ("10.56.0.5/24").
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane {

struct IpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  // network order; IPv4 uses the first four

  static Result<IpAddress> parse(std::string_view text);
  // Four or sixteen bytes in network order, else kInvalidInput.
  static Result<IpAddress> from_bytes(std::span<const std::uint8_t> bytes);

  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] std::span<const std::uint8_t> raw() const;
  [[nodiscard]] int family() const;          // AF_INET or AF_INET6
  [[nodiscard]] bool is_link_local() const;  // fe80::/10 or 169.254.0.0/16
  // The 16 bytes a RoCE v2 GID of this address has: IPv4 as ::ffff:a.b.c.d, IPv6 as it is
  // (RoCE v2 annex A17; Linux roce_gid_mgmt).
  [[nodiscard]] std::array<std::uint8_t, 16> to_gid() const;

  auto operator<=>(const IpAddress&) const = default;
};

struct IpPrefix {
  IpAddress address;
  std::uint8_t length = 0;  // bits: 0-32 or 0-128

  // "10.56.0.5/24"; a missing or too long length is kInvalidInput.
  static Result<IpPrefix> parse(std::string_view text);

  [[nodiscard]] std::string to_string() const;
  [[nodiscard]] IpPrefix network() const;  // host bits cleared
  [[nodiscard]] bool contains(const IpAddress& other) const;

  auto operator<=>(const IpPrefix&) const = default;
};

}  // namespace rocelane
