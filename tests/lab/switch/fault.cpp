// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault.h"

#include <algorithm>
#include <utility>

namespace rocelane::lab {

namespace {

// Not std::uniform_real_distribution: its results differ between standard libraries, and a seed
// written down in a test must keep its meaning.
double unit_interval(std::uint64_t draw) { return static_cast<double>(draw >> 11U) * 0x1p-53; }

bool vlan_holds(std::uint16_t wanted, const FrameHeaders& headers) {
  if (wanted == 0) {
    return headers.vlan() == 0;
  }
  return std::find(headers.vlans.begin(), headers.vlans.end(), wanted) != headers.vlans.end();
}

template <typename T>
bool holds_if_set(const std::optional<T>& wanted, const T& actual) {
  return !wanted || *wanted == actual;
}

}  // namespace

bool FaultMatch::holds(const FrameHeaders& headers, std::size_t length) const {
  const bool link =
      (!vlan || vlan_holds(*vlan, headers)) && holds_if_set(ethertype, headers.ethertype) &&
      holds_if_set(source, headers.source) && holds_if_set(destination, headers.destination);
  const bool size =
      (!min_length || length >= *min_length) && (!max_length || length <= *max_length);
  const bool ip = !ip_protocol || headers.ip_protocol == ip_protocol;
  const bool udp =
      !udp_port ||
      (headers.udp && (headers.udp->source == *udp_port || headers.udp->destination == *udp_port));
  return link && size && ip && udp;
}

Fault::Fault(FaultSpec spec, std::uint64_t seed) : spec_(std::move(spec)), random_(seed) {}

bool Fault::fires(Direction direction, const FrameHeaders& headers, std::size_t length) {
  if (exhausted() || !spec_.directions.contains(direction) || !spec_.match.holds(headers, length)) {
    return false;
  }
  if (spec_.action == FaultAction::kCorrupt && length <= headers.payload_offset) {
    return false;
  }
  ++matched_;
  if (matched_ % spec_.every != 0) {
    return false;
  }
  if (spec_.probability < 1.0 && unit_interval(draw()) >= spec_.probability) {
    return false;
  }
  ++fired_;
  return true;
}

Fault::TimePoint Fault::due(Direction direction, TimePoint now) {
  auto hold = spec_.delay;
  if (spec_.jitter.count() > 0) {
    hold += std::chrono::microseconds(
        static_cast<std::int64_t>(draw() % (static_cast<std::uint64_t>(spec_.jitter.count()) + 1)));
  }
  auto& last = last_due_.at(static_cast<std::size_t>(direction));
  last = std::max(last, now + hold);
  return last;
}

}  // namespace rocelane::lab
