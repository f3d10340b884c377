// SPDX-License-Identifier: Apache-2.0
// Attributes of received messages (struct nlattr, netlink(7)): bytes in, typed values out, every
// length checked. Views: valid as long as the bytes they were read from. Used inside lib/netlink.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/ip_address.h"
#include "lib/base/mac_address.h"
#include "lib/base/result.h"

namespace rocelane::netlink {

using Bytes = std::span<const std::uint8_t>;

struct Attribute {
  std::uint16_t type = 0;  // without NLA_F_NESTED and NLA_F_NET_BYTEORDER
  Bytes payload;

  // Exactly this size, else kInvalidInput naming type and both lengths.
  [[nodiscard]] Result<std::uint8_t> u8() const;
  [[nodiscard]] Result<std::uint32_t> u32() const;
  [[nodiscard]] Result<std::uint64_t> u64() const;
  // Up to the terminating zero, which has to be there.
  [[nodiscard]] Result<std::string> text() const;
  [[nodiscard]] Result<IpAddress> address() const;
  // At least a T: kernels append fields to structs.
  template <typename T>
  [[nodiscard]] Result<T> as() const {
    if (payload.size() < sizeof(T)) {
      return wrong_size(sizeof(T));
    }
    T value{};
    std::memcpy(&value, payload.data(), sizeof value);
    return value;
  }

 private:
  [[nodiscard]] Error wrong_size(std::size_t want) const;
};

using Visitor = std::function<Result<void>(const Attribute&)>;

// Calls `visit` for each attribute in order; stops at the first error. An attribute whose length is
// below its header's or beyond the end, and bytes left over, are kInvalidInput.
Result<void> for_each_attribute(Bytes bytes, const Visitor& visit);

// The fixed header at the start of a payload; `rest` becomes what follows it (NLMSG_ALIGNed).
template <typename Header>
Result<Header> take_header(Bytes payload, std::string_view name, Bytes& rest) {
  constexpr std::size_t kAligned = (sizeof(Header) + 3U) & ~std::size_t{3};
  if (payload.size() < sizeof(Header)) {
    return Error::make(Code::kInvalidInput, std::string(name) + ": " +
                                                std::to_string(payload.size()) + " < " +
                                                std::to_string(sizeof(Header)) + " bytes");
  }
  Header header{};
  std::memcpy(&header, payload.data(), sizeof header);
  rest = payload.subspan(std::min(kAligned, payload.size()));
  return header;
}

// For visitors: stores what a getter of Attribute gives.
template <typename Target, typename Value>
Result<void> store(Target& target, Result<Value> value) {
  if (!value.ok()) {
    return value.error();
  }
  target = std::move(*value);
  return {};
}

}  // namespace rocelane::netlink
