// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/mac_table.h"

#include <algorithm>
#include <tuple>

namespace rocelane::lab {

namespace {

constexpr unsigned kMacBits = 48;

std::uint64_t key_of(const MacTable::Station& station) {
  std::uint64_t key = station.vlan;
  for (const auto byte : station.mac.bytes) {
    key = key << 8U | byte;
  }
  return key;
}

MacTable::Station station_of(std::uint64_t key) {
  MacTable::Station station{.vlan = static_cast<std::uint16_t>(key >> kMacBits)};
  unsigned shift = kMacBits;
  for (auto& byte : station.mac.bytes) {
    shift -= 8U;
    byte = static_cast<std::uint8_t>(key >> shift);
  }
  return station;
}

}  // namespace

// Lab addresses differ in their last bytes only; the multiplication (2^64 over the golden ratio)
// spreads them over all bits.
std::size_t MacTable::Hash::operator()(std::uint64_t key) const {
  const std::uint64_t spread = key * 0x9e3779b97f4a7c15U;
  return spread ^ spread >> 32U;
}

MacTable::MacTable() { heard_.reserve(kMaxEntries); }

void MacTable::learn(const Station& station, PortIndex port, TimePoint now) {
  if (station.mac.is_multicast() || station.mac.is_zero()) {
    return;
  }
  const auto key = key_of(station);
  if (const auto found = heard_.find(key); found != heard_.end()) {
    found->second = {.port = port, .at = now};
  } else if (heard_.size() < kMaxEntries) {
    heard_.emplace(key, Heard{.port = port, .at = now});
  }
}

std::optional<PortIndex> MacTable::find(const Station& station, TimePoint now) const {
  const auto found = heard_.find(key_of(station));
  if (found == heard_.end() || now - found->second.at >= kAgeing) {
    return std::nullopt;
  }
  return found->second.port;
}

void MacTable::remove_aged(TimePoint now) {
  std::erase_if(heard_, [now](const auto& entry) { return now - entry.second.at >= kAgeing; });
}

std::vector<MacTable::Entry> MacTable::entries(TimePoint now) const {
  std::vector<Entry> all;
  for (const auto& [key, heard] : heard_) {
    if (const auto age = now - heard.at; age < kAgeing) {
      all.push_back({.station = station_of(key),
                     .port = heard.port,
                     .age = std::chrono::duration_cast<std::chrono::seconds>(age)});
    }
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.port.value, a.station.vlan, a.station.mac) <
           std::tie(b.port.value, b.station.vlan, b.station.mac);
  });
  return all;
}

}  // namespace rocelane::lab
