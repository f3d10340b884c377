// SPDX-License-Identifier: Apache-2.0
#include "lib/base/pci_address.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace rocelane {

namespace {

template <typename T>
std::optional<T> hex(std::string_view text, std::size_t min_digits, std::size_t max_digits) {
  if (text.size() < min_digits || text.size() > max_digits) {
    return std::nullopt;
  }
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (status != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<PciAddress> split(std::string_view text) {
  std::string_view domain = "0000";
  const auto first = text.find(':');
  if (const auto second = text.find(':', first + 1); second != std::string_view::npos) {
    domain = text.substr(0, first);
    text.remove_prefix(first + 1);
  }
  if (text.size() != 7 || text[2] != ':' || text[5] != '.') {
    return std::nullopt;
  }
  const auto d = hex<std::uint32_t>(domain, 4, 8);
  const auto b = hex<std::uint8_t>(text.substr(0, 2), 2, 2);
  const auto s = hex<std::uint8_t>(text.substr(3, 2), 2, 2);
  const auto f = hex<std::uint8_t>(text.substr(6, 1), 1, 1);
  if (!d || !b || !s || !f || *s > 31 || *f > 7) {
    return std::nullopt;
  }
  return PciAddress{.domain = *d, .bus = *b, .device = *s, .function = *f};
}

}  // namespace

Result<PciAddress> PciAddress::parse(std::string_view text) {
  if (const auto address = split(text)) {
    return *address;
  }
  return Error::make(Code::kInvalidInput,
                     fmt::format("\"{}\" is not a PCI address (want 0000:3b:00.2)", text));
}

std::string PciAddress::to_string() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

}  // namespace rocelane
