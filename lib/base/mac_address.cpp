// SPDX-License-Identifier: Apache-2.0
#include "lib/base/mac_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rocelane {

namespace {

constexpr std::size_t kTextLength = 17;  // six pairs of digits, five colons

}  // namespace

Result<MacAddress> MacAddress::parse(std::string_view text) {
  const auto bad = [&] {
    return Error::make(Code::kInvalidInput,
                       fmt::format("\"{}\" is not a MAC address (want 02:00:5e:10:00:01)", text));
  };
  if (text.size() != kTextLength) {
    return bad();
  }
  MacAddress mac;
  for (std::size_t i = 0; i < mac.bytes.size(); ++i) {
    const char* first = text.data() + i * 3;
    const auto [end, status] = std::from_chars(first, first + 2, mac.bytes[i], 16);
    if (status != std::errc{} || end != first + 2 || (i > 0 && first[-1] != ':')) {
      return bad();
    }
  }
  return mac;
}

Result<MacAddress> MacAddress::from_bytes(std::span<const std::uint8_t> bytes) {
  MacAddress mac;
  if (bytes.size() != mac.bytes.size()) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("hardware address of {} bytes, want 6", bytes.size()));
  }
  std::copy(bytes.begin(), bytes.end(), mac.bytes.begin());
  return mac;
}

std::string MacAddress::to_string() const { return fmt::format("{:02x}", fmt::join(bytes, ":")); }

}  // namespace rocelane
