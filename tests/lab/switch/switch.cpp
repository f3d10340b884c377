// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/switch.h"

#include <algorithm>
#include <utility>

namespace rocelane::lab {

namespace {

constexpr int kBurst = 64;

}  // namespace

Switch::Switch(std::vector<Port> ports)
    : ports_(std::move(ports)), received_(kMaxFrameBytes), corrupted_(kMaxFrameBytes) {}

Result<Switch> Switch::open(std::uint16_t count) {
  std::vector<Port> ports;
  ports.reserve(count);
  for (std::uint16_t i = 0; i < count; ++i) {
    ROCELANE_ASSIGN_OR_RETURN(auto port, Port::open(PortIndex{i}));
    ports.push_back(std::move(port));
  }
  return Switch(std::move(ports));
}

void Switch::receive(PortIndex index, TimePoint now) {
  for (int i = 0; i < kBurst; ++i) {
    const auto frame = port(index).receive(received_);
    if (!frame) {
      return;
    }
    if (!frame->empty()) {
      enter(index, *frame, now);
    }
  }
}

void Switch::receive_all(TimePoint now) {
  for (PortIndex i; i.value < port_count(); ++i.value) {
    receive(i, now);
  }
}

bool Switch::lost(PortIndex index, Direction direction, const Verdict& verdict) {
  if (verdict.drop) {
    port(index).drop(direction, DropReason::kFault);
  }
  return verdict.drop;
}

void Switch::hold(PortIndex index, Direction direction, Frame frame, const Verdict& verdict) {
  for (std::size_t i = 0; i < verdict.copies; ++i) {
    if (!delayed_.push(*verdict.due, index, direction, frame)) {
      port(index).drop(direction, DropReason::kDelayFull);
    }
  }
}

void Switch::enter(PortIndex from, Frame frame, TimePoint now) {
  auto headers = parse_frame(frame);
  if (!headers) {
    return port(from).drop(Direction::kIn, DropReason::kMalformed);
  }
  if (port(from).cut().in) {
    return port(from).drop(Direction::kIn, DropReason::kCut);
  }
  const auto verdict = faults_.decide(from, Direction::kIn, *headers, frame.size(), now);
  if (lost(from, Direction::kIn, verdict)) {
    return;
  }
  if (verdict.corrupt) {
    corrupt_payload(frame, *headers, *verdict.corrupt);
    headers = parse_frame(frame);
  }
  if (verdict.due) {
    return hold(from, Direction::kIn, frame, verdict);
  }
  for (std::size_t i = 0; i < verdict.copies; ++i) {
    forward(from, frame, *headers, now);
  }
}

void Switch::forward(PortIndex from, Frame frame, const FrameHeaders& headers, TimePoint now) {
  stations_.learn({.vlan = headers.vlan(), .mac = headers.source}, from, now);
  const auto to = stations_.find({.vlan = headers.vlan(), .mac = headers.destination}, now);
  if (to == from) {
    return port(from).drop(Direction::kIn, DropReason::kSamePort);
  }
  if (to) {
    return leave(*to, frame, headers, now);
  }
  for (PortIndex other; other.value < port_count(); ++other.value) {
    if (other != from) {
      leave(other, frame, headers, now);
    }
  }
}

void Switch::leave(PortIndex to, Frame frame, const FrameHeaders& headers, TimePoint now) {
  if (port(to).cut().out) {
    return port(to).drop(Direction::kOut, DropReason::kCut);
  }
  const auto verdict = faults_.decide(to, Direction::kOut, headers, frame.size(), now);
  if (lost(to, Direction::kOut, verdict)) {
    return;
  }
  if (verdict.corrupt) {
    std::copy(frame.begin(), frame.end(), corrupted_.begin());
    frame = Frame(corrupted_).first(frame.size());
    corrupt_payload(frame, headers, *verdict.corrupt);
  }
  if (verdict.due) {
    return hold(to, Direction::kOut, frame, verdict);
  }
  for (std::size_t i = 0; i < verdict.copies; ++i) {
    port(to).send(frame);
  }
}

void Switch::release_due(TimePoint now) {
  while (auto held = delayed_.pop_due(now)) {
    release(*held, held->frame, now);
  }
}

void Switch::release(const DelayQueue::Held& held, Frame frame, TimePoint now) {
  if (port(held.port).cut().contains(held.direction)) {
    return port(held.port).drop(held.direction, DropReason::kCut);
  }
  if (held.direction == Direction::kOut) {
    return port(held.port).send(frame);
  }
  if (const auto headers = parse_frame(frame)) {
    forward(held.port, frame, *headers, now);
  }
}

}  // namespace rocelane::lab
