// SPDX-License-Identifier: Apache-2.0
// MacTable: behind which port a station was last heard, per VLAN. Entries age; time is passed in.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "lib/base/mac_address.h"
#include "tests/lab/switch/port_index.h"

namespace rocelane::lab {

class MacTable {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  static constexpr std::chrono::seconds kAgeing{300};  // IEEE 802.1Q table 8-6, recommended
  // A lab has some hundred stations; the bound is against a VM that invents addresses.
  static constexpr std::size_t kMaxEntries = 16'384;

  struct Station {
    std::uint16_t vlan = 0;
    MacAddress mac;

    bool operator==(const Station&) const = default;
  };
  struct Entry {
    Station station;
    PortIndex port;
    std::chrono::seconds age{0};

    bool operator==(const Entry&) const = default;
  };

  MacTable();

  // Notes or moves a station. A group or zero address, and a new one in a full table, is not
  // noted. Allocates only for a station not heard before.
  void learn(const Station& station, PortIndex port, TimePoint now);
  // Absent: never heard, or not for kAgeing.
  [[nodiscard]] std::optional<PortIndex> find(const Station& station, TimePoint now) const;
  void remove_aged(TimePoint now);

  // Those not aged, by port, VLAN and address.
  [[nodiscard]] std::vector<Entry> entries(TimePoint now) const;
  [[nodiscard]] std::size_t size() const { return heard_.size(); }

 private:
  struct Heard {
    PortIndex port;
    TimePoint at;
  };
  struct Hash {
    std::size_t operator()(std::uint64_t key) const;
  };

  std::unordered_map<std::uint64_t, Heard, Hash> heard_;
};

}  // namespace rocelane::lab
