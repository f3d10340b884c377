// SPDX-License-Identifier: Apache-2.0
// fabric, memlock and probes.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "lib/config/readers.h"

namespace rocelane::config {

namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kMaxVfs = 65535;  // NumVFs is a 16-bit register (PCIe SR-IOV)
constexpr milliseconds kMinInterval{10};
constexpr milliseconds kMaxInterval = std::chrono::hours(1);
constexpr std::uint32_t kMaxPeers = 1024;

Error bad(std::string message) { return Error::make(Code::kInvalidInput, std::move(message)); }

struct Unit {
  std::string_view suffix;
  std::uint64_t factor;
};

// A whole number and one of the units; nullopt when it is something else or too large.
std::optional<std::uint64_t> parse_quantity(std::string_view text, std::span<const Unit> units) {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || status != std::errc{}) {
    return std::nullopt;
  }
  const auto suffix = text.substr(static_cast<std::size_t>(end - text.data()));
  for (const auto& unit : units) {
    std::uint64_t product = 0;
    if (unit.suffix == suffix && !__builtin_mul_overflow(number, unit.factor, &product)) {
      return product;
    }
  }
  return std::nullopt;
}

Result<milliseconds> parse_duration(std::string_view text) {
  constexpr std::array<Unit, 4> kUnits{{{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}}};
  const auto count = parse_quantity(text, kUnits);
  if (!count || *count < static_cast<std::uint64_t>(kMinInterval.count()) ||
      *count > static_cast<std::uint64_t>(kMaxInterval.count())) {
    return bad(fmt::format(R"(must be a duration from 10ms to 1h as in "500ms", is "{}")", text));
  }
  return milliseconds(*count);
}

// The suffixes of a Kubernetes quantity.
Result<std::optional<std::uint64_t>> parse_limit(std::string_view text) {
  constexpr std::array<Unit, 9> kUnits{{{"", 1},
                                        {"k", 1000},
                                        {"M", 1000'000},
                                        {"G", 1000'000'000},
                                        {"T", 1000'000'000'000},
                                        {"Ki", std::uint64_t{1} << 10U},
                                        {"Mi", std::uint64_t{1} << 20U},
                                        {"Gi", std::uint64_t{1} << 30U},
                                        {"Ti", std::uint64_t{1} << 40U}}};
  if (text == "unlimited") {
    return std::optional<std::uint64_t>();
  }
  const auto bytes = parse_quantity(text, kUnits);
  if (!bytes) {
    return bad(fmt::format(R"(must be "unlimited" or bytes as in "64Mi", is "{}")", text));
  }
  return bytes;
}

Port read_port(const json::Value& value) {
  Port port;
  json::Object object(value);
  if (const auto names = object.require("pfNames")) {
    for (const auto& item : names->items()) {
      const auto text = item.text();
      const auto name = text ? parse_interface_name(*text) : Result<std::string>(std::string());
      if (!name.ok()) {
        item.problem(name.error().message);
      }
      port.pf_names.push_back(text.value_or(""));
    }
    if (port.pf_names.empty() && names->is_array()) {
      names->problem("must name a port");
    }
  }
  object.read("numVfs", port.num_vfs, 0U, kMaxVfs);
  object.read("mtu", port.mtu, kMinMtu, kMaxMtu);
  object.parse("profile", port.profile, parse_name);
  object.read("nodeSelector", port.node_selector);
  return port;
}

}  // namespace

void read_fabric(const json::Value& value, Config& config) {
  json::Object object(value);
  object.choose<RdmaNetnsMode>("rdmaNetnsMode", config.rdma_netns_mode,
                               {{"auto", RdmaNetnsMode::kAuto},
                                {"shared", RdmaNetnsMode::kShared},
                                {"exclusive", RdmaNetnsMode::kExclusive}});
  if (const auto ports = object.find("ports")) {
    for (const auto& item : ports->items()) {
      config.ports.push_back(read_port(item));
    }
  }
  if (const auto profiles = object.find("profiles")) {
    for (const auto& [name, profile] : profiles->members()) {
      if (const auto checked = parse_name(name); !checked.ok()) {
        profile.problem(checked.error().message);
      }
      if (!profile.is_object()) {
        profile.problem("must be an object");
      }
      config.profiles.emplace(name, json::encode(profile.json()));
    }
  }
}

Memlock read_memlock(const json::Value& value) {
  Memlock memlock;
  json::Object object(value);
  const auto limit = object.find("limit");
  if (limit && limit->is_text()) {
    object.parse("limit", memlock.limit_bytes, parse_limit);
  } else if (limit) {
    memlock.limit_bytes = limit->number(0, std::numeric_limits<std::uint64_t>::max());
  }
  return memlock;
}

Probes read_probes(const json::Value& value) {
  Probes probes;
  json::Object object(value);
  object.parse("interval", probes.interval, parse_duration);
  object.read("peers", probes.peers, 0U, kMaxPeers);
  return probes;
}

}  // namespace rocelane::config
