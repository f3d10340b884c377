// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/fault_json.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace rocelane::lab {

namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxVlan = 4094;
constexpr std::uint64_t kMaxCount = std::numeric_limits<std::uint64_t>::max();
constexpr double kMaxDelayMs = 600'000;
constexpr double kMicrosPerMs = 1000;
constexpr std::array<std::pair<std::string_view, FaultAction>, 4> kActions{{
    {"drop", FaultAction::kDrop},
    {"delay", FaultAction::kDelay},
    {"duplicate", FaultAction::kDuplicate},
    {"corrupt", FaultAction::kCorrupt},
}};

template <typename T>
std::optional<T> narrowed(std::optional<std::uint64_t> value) {
  return value ? std::optional(static_cast<T>(*value)) : std::nullopt;
}

std::optional<MacAddress> read_mac(Request& request, std::string_view key) {
  const auto text = request.string(key);
  if (!text) {
    return std::nullopt;
  }
  const auto mac = MacAddress::parse(*text);
  if (!mac.ok()) {
    request.fail(key, "is wrong: " + mac.error().message);
    return std::nullopt;
  }
  return *mac;
}

FaultMatch read_match(Request& outer) {
  const auto* object = outer.object("match");
  if (object == nullptr) {
    return {};
  }
  Request request(*object, "match.");
  FaultMatch match{
      .vlan = narrowed<std::uint16_t>(request.integer("vlan", {0, kMaxVlan})),
      .ethertype = narrowed<std::uint16_t>(request.hexadecimal("ethertype", {0, 0xffff})),
      .source = read_mac(request, "src"),
      .destination = read_mac(request, "dst"),
      .ip_protocol = narrowed<std::uint8_t>(request.integer("ip_protocol", {0, 0xff})),
      .udp_port = narrowed<std::uint16_t>(request.integer("udp_port", {0, 0xffff})),
      .min_length = request.integer("min_length", {0, kMaxFrameBytes}),
      .max_length = request.integer("max_length", {0, kMaxFrameBytes})};
  if (const auto done = request.finish(); !done.ok()) {
    outer.fail("match", "is wrong: " + done.error().message);
  }
  return match;
}

FaultAction read_action(Request& request) {
  const auto text = request.required("action", request.string("action"));
  for (const auto& [name, action] : kActions) {
    if (text == name) {
      return action;
    }
  }
  request.fail("action", "must be drop, delay, duplicate or corrupt");
  return FaultAction::kDrop;
}

std::chrono::microseconds read_milliseconds(Request& request, std::string_view key) {
  const double value = request.number(key, 0, kMaxDelayMs).value_or(0);
  return std::chrono::microseconds(static_cast<std::int64_t>(value * kMicrosPerMs));
}

double milliseconds_of(std::chrono::microseconds span) {
  return static_cast<double>(span.count()) / kMicrosPerMs;
}

std::string_view name_of(FaultAction action) {
  for (const auto& [name, other] : kActions) {
    if (other == action) {
      return name;
    }
  }
  return "unknown";
}

json encode_match(const FaultMatch& match) {
  json out = json::object();
  const auto put = [&out](const char* key, const auto& value) {
    if (value) {
      out[key] = *value;
    }
  };
  put("vlan", match.vlan);
  if (match.ethertype) {
    out["ethertype"] = fmt::format("0x{:04x}", *match.ethertype);
  }
  if (match.source) {
    out["src"] = match.source->to_string();
  }
  if (match.destination) {
    out["dst"] = match.destination->to_string();
  }
  put("ip_protocol", match.ip_protocol);
  put("udp_port", match.udp_port);
  put("min_length", match.min_length);
  put("max_length", match.max_length);
  return out;
}

}  // namespace

PortIndex read_port(Request& request, std::uint16_t port_count) {
  const auto port = request.integer("port", {0, port_count - std::uint64_t{1}});
  return {static_cast<std::uint16_t>(request.required("port", port))};
}

Directions read_directions(Request& request) {
  const auto text = request.string("direction").value_or("both");
  if (text != "in" && text != "out" && text != "both") {
    request.fail("direction", "must be in, out or both");
  }
  return {.in = text != "out", .out = text != "in"};
}

std::string to_string(Directions directions) {
  if (directions.in) {
    return directions.out ? "both" : "in";
  }
  return directions.out ? "out" : "none";
}

FaultSpec read_fault(Request& request, std::uint16_t port_count) {
  FaultSpec spec{.id = request.string("id").value_or(""),
                 .port = read_port(request, port_count),
                 .directions = read_directions(request),
                 .match = read_match(request),
                 .action = read_action(request),
                 .probability = request.number("probability", 0, 1).value_or(1),
                 .every = request.integer("every", {1, kMaxCount}).value_or(1),
                 .count = request.integer("count", {1, kMaxCount}),
                 .delay = read_milliseconds(request, "delay_ms"),
                 .jitter = read_milliseconds(request, "jitter_ms")};
  const bool delays = spec.delay.count() > 0 || spec.jitter.count() > 0;
  if (spec.action == FaultAction::kDelay && !delays) {
    request.fail("delay_ms", "is missing");
  }
  if (spec.action != FaultAction::kDelay && delays) {
    request.fail("delay_ms", "is for the action delay only");
  }
  return spec;
}

json encode_fault(const Fault& fault) {
  const auto& spec = fault.spec();
  json out{{"id", spec.id},
           {"port", spec.port.value},
           {"direction", to_string(spec.directions)},
           {"match", encode_match(spec.match)},
           {"action", name_of(spec.action)},
           {"probability", spec.probability},
           {"every", spec.every},
           {"matched", fault.matched()},
           {"fired", fault.fired()},
           {"exhausted", fault.exhausted()}};
  if (spec.count) {
    out["count"] = *spec.count;
  }
  if (spec.action == FaultAction::kDelay) {
    out["delay_ms"] = milliseconds_of(spec.delay);
    out["jitter_ms"] = milliseconds_of(spec.jitter);
  }
  return out;
}

}  // namespace rocelane::lab
