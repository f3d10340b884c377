// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/control.h"

#include <array>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "tests/lab/switch/fault_json.h"
#include "tests/lab/switch/request.h"

namespace rocelane::lab {

namespace {

using nlohmann::json;

struct Context {
  Switch& fabric;
  Request& request;
  Switch::TimePoint now;
};

json encode(const Counter& counter) {
  return {{"frames", counter.frames}, {"bytes", counter.bytes}};
}

json encode_drops(const Port& port, Direction direction) {
  json out = json::object();
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (const auto count = port.dropped(direction, reason); count > 0) {
      out[std::string(to_string(reason))] = count;
    }
  }
  return out;
}

json encode_capture(const Port::Capture& capture) {
  json out{{"path", capture.file.path()},
           {"direction", to_string(capture.directions)},
           {"frames", capture.file.frames()}};
  if (capture.file.error()) {
    out["error"] = capture.file.error()->message;
  }
  return out;
}

json encode_faults(const FaultTable& table, PortIndex port) {
  json out = json::array();
  for (const auto& fault : table.faults()) {
    if (fault.spec().port == port) {
      out.push_back(encode_fault(fault));
    }
  }
  return out;
}

json encode_stations(const std::vector<MacTable::Entry>& entries, PortIndex port) {
  json out = json::array();
  for (const auto& entry : entries) {
    if (entry.port == port) {
      out.push_back({{"vlan", entry.station.vlan}, {"mac", entry.station.mac.to_string()}});
    }
  }
  return out;
}

json encode_port(const Switch& fabric, PortIndex index,
                 const std::vector<MacTable::Entry>& entries) {
  const auto& port = fabric.port(index);
  json out{
      {"port", index.value},
      {"rx", encode(port.received())},
      {"tx", encode(port.sent())},
      {"queued", port.queued()},
      {"dropped",
       {{"in", encode_drops(port, Direction::kIn)}, {"out", encode_drops(port, Direction::kOut)}}},
      {"cut", to_string(port.cut())},
      {"macs", encode_stations(entries, index)},
      {"faults", encode_faults(fabric.faults(), index)}};
  if (port.capture()) {
    out["capture"] = encode_capture(*port.capture());
  }
  return out;
}

Result<json> ports(const Context& context) {
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  const auto entries = context.fabric.stations().entries(context.now);
  json list = json::array();
  for (PortIndex i; i.value < context.fabric.port_count(); ++i.value) {
    list.push_back(encode_port(context.fabric, i, entries));
  }
  return json{{"ports", std::move(list)}};
}

Result<json> macs(const Context& context) {
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  json list = json::array();
  for (const auto& entry : context.fabric.stations().entries(context.now)) {
    list.push_back({{"vlan", entry.station.vlan},
                    {"mac", entry.station.mac.to_string()},
                    {"port", entry.port.value},
                    {"age_seconds", entry.age.count()}});
  }
  return json{{"macs", std::move(list)}};
}

Result<json> set_cut(const Context& context, bool cut) {
  const auto index = read_port(context.request, context.fabric.port_count());
  const auto which = read_directions(context.request);
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  auto& port = context.fabric.port(index);
  auto state = port.cut();
  state.in = which.in ? cut : state.in;
  state.out = which.out ? cut : state.out;
  port.set_cut(state);
  return json{{"port", index.value}, {"cut", to_string(state)}};
}

Result<json> cut(const Context& context) { return set_cut(context, true); }
Result<json> restore(const Context& context) { return set_cut(context, false); }

Result<json> add_fault(const Context& context) {
  auto spec = read_fault(context.request, context.fabric.port_count());
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  ROCELANE_ASSIGN_OR_RETURN(const auto id, context.fabric.faults().add(std::move(spec)));
  return json{{"id", id}};
}

Result<json> clear(const Context& context) {
  const auto id = context.request.string("id");
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  if (!id) {
    return json{{"cleared", context.fabric.faults().remove_all()}};
  }
  ROCELANE_RETURN_IF_ERROR(context.fabric.faults().remove(*id));
  return json{{"cleared", 1}};
}

Result<json> seed(const Context& context) {
  constexpr Range kAny{0, std::numeric_limits<std::uint64_t>::max()};
  const auto value = context.request.required("value", context.request.integer("value", kAny));
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  context.fabric.faults().seed(value);
  return json{{"value", value}};
}

Result<json> capture(const Context& context) {
  auto& request = context.request;
  const auto index = read_port(request, context.fabric.port_count());
  const auto directions = read_directions(request);
  const auto path = request.required("path", request.string("path"));
  const auto length = request.integer("snaplen", {1, PcapWriter::kMaxSnapLength});
  ROCELANE_RETURN_IF_ERROR(request.finish());
  auto& port = context.fabric.port(index);
  if (port.capture()) {
    return Error::make(Code::kBusy, "port " + std::to_string(index.value) + " is captured to " +
                                        port.capture()->file.path());
  }
  ROCELANE_ASSIGN_OR_RETURN(
      auto file, PcapWriter::create(path, static_cast<std::uint32_t>(
                                              length.value_or(PcapWriter::kMaxSnapLength))));
  port.set_capture(Port::Capture{.file = std::move(file), .directions = directions});
  return json{{"path", path}};
}

Result<json> stop_captures(const Context& context) {
  constexpr std::string_view kKey = "port";
  const auto last = context.fabric.port_count() - std::uint64_t{1};
  const auto only = context.request.integer(kKey, {0, last});
  ROCELANE_RETURN_IF_ERROR(context.request.finish());
  json stopped = json::array();
  for (PortIndex i; i.value < context.fabric.port_count(); ++i.value) {
    auto& port = context.fabric.port(i);
    if (port.capture() && (!only || *only == i.value)) {
      stopped.push_back(encode_capture(*port.capture()));
      port.set_capture(std::nullopt);
    }
  }
  return json{{"captures", std::move(stopped)}};
}

using Command = Result<json> (*)(const Context&);
constexpr std::array<std::pair<std::string_view, Command>, 9> kCommands{{
    {"ports", ports},
    {"macs", macs},
    {"cut", cut},
    {"restore", restore},
    {"fault", add_fault},
    {"clear", clear},
    {"seed", seed},
    {"capture", capture},
    {"capture-stop", stop_captures},
}};

Result<json> run(Switch& fabric, std::string_view line, Switch::TimePoint now) {
  const auto object = json::parse(line, nullptr, false);
  if (!object.is_object()) {
    return Error::make(Code::kInvalidInput, "the line is not one JSON object");
  }
  Request request(object, "");
  const auto name = request.required("command", request.string("command"));
  for (const auto& [known, command] : kCommands) {
    if (name == known) {
      return command({.fabric = fabric, .request = request, .now = now});
    }
  }
  request.fail("command", "\"" + name + "\" is unknown");
  return request.finish().error();
}

}  // namespace

std::string answer(Switch& fabric, std::string_view line) {
  const auto now = std::chrono::steady_clock::now();
  // A frame that was sent before the request must not feel its effect.
  fabric.receive_all(now);
  const auto result = run(fabric, line, now);
  json out{{"ok", result.ok()}};
  if (result.ok()) {
    out.update(*result);
  } else {
    out["error"] = result.error().message;
  }
  // Names come from the client and need not be UTF-8.
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace rocelane::lab
