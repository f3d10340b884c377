// SPDX-License-Identifier: Apache-2.0
#include "lib/rdma/gid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace rocelane::rdma {

namespace {

constexpr std::size_t kGidGroups = 8;
constexpr std::size_t kGroupDigits = 4;
constexpr std::size_t kGidTextLength = kGidGroups * (kGroupDigits + 1) - 1;
constexpr int kHexadecimal = 16;

template <typename T>
std::optional<T> parse_whole(std::string_view text, int base) {
  T value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (problem != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// The kernel writes all eight groups with all digits ("%pI6").
std::optional<std::array<std::uint8_t, 16>> parse_gid_bytes(std::string_view text) {
  if (text.size() != kGidTextLength) {
    return std::nullopt;
  }
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t group = 0; group < kGidGroups; ++group) {
    const auto at = group * (kGroupDigits + 1);
    const auto value = parse_whole<std::uint16_t>(text.substr(at, kGroupDigits), kHexadecimal);
    if (!value || (group + 1 < kGidGroups && text[at + kGroupDigits] != ':')) {
      return std::nullopt;
    }
    bytes[2 * group] = static_cast<std::uint8_t>(*value >> 8U);
    bytes[2 * group + 1] = static_cast<std::uint8_t>(*value & 0xffU);
  }
  return bytes;
}

// The kernel has one text for InfiniBand and RoCE v1 (gid_type_str in drivers/infiniband/core/
// cache.c); only RoCE entries have a netdev.
GidType parse_type(std::string_view text, bool has_netdev) {
  if (text == "RoCE v2") {
    return GidType::kRoceV2;
  }
  return has_netdev ? GidType::kRoceV1 : GidType::kIb;
}

// nullopt: an empty entry, or one that vanished while it was read.
Result<std::optional<Gid>> read_gid(const sysfs::Sysfs& sysfs, const std::string& port,
                                    const std::string& name) {
  const auto index = parse_whole<std::uint32_t>(name, 10);
  ROCELANE_ASSIGN_OR_RETURN(const auto text, sysfs.find(port + "/gids/" + name));
  if (!index || !text) {
    return std::optional<Gid>();
  }
  const auto bytes = parse_gid_bytes(*text);
  if (!bytes) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("{}/gids/{}: \"{}\" is not a GID", port, name, *text));
  }
  if (std::all_of(bytes->begin(), bytes->end(), [](std::uint8_t byte) { return byte == 0; })) {
    return std::optional<Gid>();
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto type, sysfs.find(port + "/gid_attrs/types/" + name));
  ROCELANE_ASSIGN_OR_RETURN(const auto netdev, sysfs.find(port + "/gid_attrs/ndevs/" + name));
  if (!type) {
    return std::optional<Gid>();
  }
  return std::optional(Gid{.index = *index,
                           .bytes = *bytes,
                           .type = parse_type(*type, netdev.has_value()),
                           .netdev = netdev.value_or("")});
}

}  // namespace

std::string Gid::to_string() const {
  std::string text;
  for (std::size_t group = 0; group < kGidGroups; ++group) {
    text += fmt::format("{}{:02x}{:02x}", group == 0 ? "" : ":", bytes[2 * group],
                        bytes[2 * group + 1]);
  }
  return text;
}

Result<std::vector<Gid>> read_gids(const sysfs::Sysfs& sysfs, std::string_view device,
                                   std::uint32_t port) {
  const auto path = fmt::format("class/infiniband/{}/ports/{}", device, port);
  ROCELANE_ASSIGN_OR_RETURN(const auto names, sysfs.list(path + "/gids"));
  std::vector<Gid> gids;
  for (const auto& name : names) {
    ROCELANE_ASSIGN_OR_RETURN(auto gid, read_gid(sysfs, path, name));
    if (gid) {
      gids.push_back(std::move(*gid));
    }
  }
  if (!sysfs.exists(path)) {
    return Error::make(Code::kNotFound, fmt::format("no RDMA device {} port {}", device, port));
  }
  std::sort(gids.begin(), gids.end(), [](const Gid& a, const Gid& b) { return a.index < b.index; });
  return gids;
}

Result<std::optional<Gid>> find_gid(const sysfs::Sysfs& sysfs, std::string_view device,
                                    std::uint32_t port, const IpAddress& address,
                                    std::string_view netdev, std::uint32_t slots) {
  const auto path = fmt::format("class/infiniband/{}/ports/{}", device, port);
  if (!sysfs.exists(path)) {
    return Error::make(Code::kNotFound, fmt::format("no RDMA device {} port {}", device, port));
  }
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const auto name = std::to_string(slot);
    if (!sysfs.exists(path + "/gids/" + name)) {
      break;
    }
    ROCELANE_ASSIGN_OR_RETURN(auto gid, read_gid(sysfs, path, name));
    if (gid && select_gid({*gid}, address, netdev)) {
      return gid;
    }
  }
  return std::optional<Gid>();
}

std::optional<Gid> select_gid(const std::vector<Gid>& gids, const IpAddress& address,
                              std::string_view netdev) {
  const auto bytes = address.to_gid();
  const auto found = std::find_if(gids.begin(), gids.end(), [&](const Gid& gid) {
    return gid.type == GidType::kRoceV2 && gid.netdev == netdev && gid.bytes == bytes;
  });
  return found == gids.end() ? std::nullopt : std::optional(*found);
}

}  // namespace rocelane::rdma
