// SPDX-License-Identifier: Apache-2.0
// Fault: one rule that drops, delays, duplicates or corrupts matching frames of one port, and how
// often it did. Pure; its randomness comes from a seed and from its own matches alone, so that
// other traffic does not change what it does.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "lib/base/mac_address.h"
#include "tests/lab/switch/frame.h"
#include "tests/lab/switch/port_index.h"

namespace rocelane::lab {

// Every member that is there must hold.
struct FaultMatch {
  std::optional<std::uint16_t> vlan;  // any tag of the frame; 0: a frame without VLAN
  std::optional<std::uint16_t> ethertype;
  std::optional<MacAddress> source;
  std::optional<MacAddress> destination;
  std::optional<std::uint8_t> ip_protocol;
  std::optional<std::uint16_t> udp_port;  // source or destination
  std::optional<std::size_t> min_length;  // bytes with Ethernet header and tags
  std::optional<std::size_t> max_length;

  [[nodiscard]] bool holds(const FrameHeaders& headers, std::size_t length) const;
  bool operator==(const FaultMatch&) const = default;
};

enum class FaultAction : std::uint8_t { kDrop, kDelay, kDuplicate, kCorrupt };

struct FaultSpec {
  std::string id;
  PortIndex port;
  Directions directions = Directions::both();
  FaultMatch match;
  FaultAction action = FaultAction::kDrop;
  double probability = 1.0;
  std::uint64_t every = 1;             // only each Nth match, the first time at the Nth
  std::optional<std::uint64_t> count;  // after so many times it rests
  std::chrono::microseconds delay{0};
  std::chrono::microseconds jitter{0};  // added: evenly distributed in [0, jitter]

  bool operator==(const FaultSpec&) const = default;
};

class Fault {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  Fault(FaultSpec spec, std::uint64_t seed);

  // Whether it acts on this frame; counts it if so. A corrupting fault needs a payload.
  bool fires(Direction direction, const FrameHeaders& headers, std::size_t length);

  // When a frame that came at `now` may go on; never before an earlier frame of this direction,
  // whatever the jitter drew.
  TimePoint due(Direction direction, TimePoint now);
  std::uint64_t draw() { return random_(); }
  void seed(std::uint64_t seed) { random_.seed(seed); }

  [[nodiscard]] const FaultSpec& spec() const { return spec_; }
  [[nodiscard]] std::uint64_t matched() const { return matched_; }
  [[nodiscard]] std::uint64_t fired() const { return fired_; }
  [[nodiscard]] bool exhausted() const { return spec_.count && fired_ >= *spec_.count; }

 private:
  FaultSpec spec_;
  std::mt19937_64 random_;
  std::uint64_t matched_ = 0;
  std::uint64_t fired_ = 0;
  std::array<TimePoint, kDirections> last_due_{};
};

}  // namespace rocelane::lab
