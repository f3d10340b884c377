// SPDX-License-Identifier: Apache-2.0
// Owns the splitting of payloads into attributes; which of them matter is the parsers' business.
#include "lib/netlink/attribute.h"

#include <linux/netlink.h>

#include <algorithm>

namespace rocelane::netlink {

Error Attribute::wrong_size(std::size_t want) const {
  return Error::make(Code::kInvalidInput, "attribute " + std::to_string(type) + ": " +
                                              std::to_string(payload.size()) +
                                              " bytes instead of " + std::to_string(want));
}

Result<std::uint8_t> Attribute::u8() const {
  return payload.size() == 1 ? as<std::uint8_t>() : wrong_size(1);
}

Result<std::uint32_t> Attribute::u32() const {
  return payload.size() == 4 ? as<std::uint32_t>() : wrong_size(4);
}

Result<std::uint64_t> Attribute::u64() const {
  return payload.size() == 8 ? as<std::uint64_t>() : wrong_size(8);
}

Result<std::string> Attribute::text() const {
  const auto end = std::find(payload.begin(), payload.end(), std::uint8_t{0});
  if (end == payload.end()) {
    return Error::make(Code::kInvalidInput,
                       "attribute " + std::to_string(type) + ": text without its end");
  }
  return std::string(payload.begin(), end);
}

Result<IpAddress> Attribute::address() const { return IpAddress::from_bytes(payload); }

Result<void> for_each_attribute(Bytes bytes, const Visitor& visit) {
  while (!bytes.empty()) {
    nlattr header{};
    if (bytes.size() < sizeof header) {
      return Error::make(Code::kInvalidInput, "netlink attribute: " + std::to_string(bytes.size()) +
                                                  " bytes are left over");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nla_len < sizeof header || header.nla_len > bytes.size()) {
      return Error::make(Code::kInvalidInput, "netlink attribute: length " +
                                                  std::to_string(header.nla_len) + " of " +
                                                  std::to_string(bytes.size()) + " bytes");
    }
    const Attribute attribute{
        .type = static_cast<std::uint16_t>(header.nla_type & NLA_TYPE_MASK),
        .payload = bytes.subspan(sizeof header, header.nla_len - sizeof header)};
    ROCELANE_RETURN_IF_ERROR(visit(attribute));
    // The last attribute may come without its padding.
    bytes = bytes.subspan(std::min<std::size_t>(NLA_ALIGN(header.nla_len), bytes.size()));
  }
  return {};
}

}  // namespace rocelane::netlink
