// SPDX-License-Identifier: Apache-2.0
#include "lib/base/ip_address.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>

namespace rocelane {

namespace {

constexpr std::size_t kV4Bytes = 4;
constexpr std::size_t kV6Bytes = 16;

Error not_an_address(std::string_view text) {
  return Error::make(Code::kInvalidInput, fmt::format("\"{}\" is not an IP address", text));
}

}  // namespace

Result<IpAddress> IpAddress::parse(std::string_view text) {
  const std::string copy(text);  // inet_pton(3) wants a terminated string
  if (copy.find('\0') != std::string::npos) {
    return not_an_address(text);
  }
  IpAddress address{.v6 = text.find(':') != std::string_view::npos};
  if (inet_pton(address.family(), copy.c_str(), address.bytes.data()) != 1) {
    return not_an_address(text);
  }
  return address;
}

Result<IpAddress> IpAddress::from_bytes(std::span<const std::uint8_t> bytes) {
  if (bytes.size() != kV4Bytes && bytes.size() != kV6Bytes) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("IP address of {} bytes, want 4 or 16", bytes.size()));
  }
  IpAddress address{.v6 = bytes.size() == kV6Bytes};
  std::copy(bytes.begin(), bytes.end(), address.bytes.begin());
  return address;
}

std::string IpAddress::to_string() const {
  std::array<char, INET6_ADDRSTRLEN> text{};
  ROCELANE_CHECK(inet_ntop(family(), bytes.data(), text.data(), text.size()) != nullptr);
  return text.data();
}

std::span<const std::uint8_t> IpAddress::raw() const {
  return {bytes.data(), v6 ? kV6Bytes : kV4Bytes};
}

int IpAddress::family() const { return v6 ? AF_INET6 : AF_INET; }

bool IpAddress::is_link_local() const {
  if (v6) {
    return bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80;
  }
  return bytes[0] == 169 && bytes[1] == 254;
}

std::array<std::uint8_t, 16> IpAddress::to_gid() const {
  if (v6) {
    return bytes;
  }
  std::array<std::uint8_t, 16> gid{};
  gid[10] = 0xff;
  gid[11] = 0xff;
  std::copy_n(bytes.begin(), kV4Bytes, gid.begin() + 12);
  return gid;
}

Result<IpPrefix> IpPrefix::parse(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("\"{}\" has no prefix length (want 10.56.0.5/24)", text));
  }
  ROCELANE_ASSIGN_OR_RETURN(auto address, IpAddress::parse(text.substr(0, slash)));
  const auto digits = text.substr(slash + 1);
  std::uint8_t length = 0;
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), length, 10);
  const unsigned most = address.v6 ? 128 : 32;
  if (status != std::errc{} || end != digits.data() + digits.size() || length > most) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("\"{}\": prefix length must be 0-{}", text, most));
  }
  return IpPrefix{.address = address, .length = length};
}

std::string IpPrefix::to_string() const {
  return fmt::format("{}/{}", address.to_string(), length);
}

IpPrefix IpPrefix::network() const {
  IpPrefix net = *this;
  for (std::size_t i = 0; i < net.address.bytes.size(); ++i) {
    const int kept = std::clamp(static_cast<int>(length) - static_cast<int>(i) * 8, 0, 8);
    net.address.bytes[i] &= static_cast<std::uint8_t>(0xff00U >> static_cast<unsigned>(kept));
  }
  return net;
}

bool IpPrefix::contains(const IpAddress& other) const {
  return other.v6 == address.v6 &&
         IpPrefix{.address = other, .length = length}.network().address == network().address;
}

}  // namespace rocelane
