// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/oci_bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

namespace rocelane::cni {

namespace {

using nlohmann::json;

// Annotation keys of containerd (pkg/cri/annotations) and of CRI-O (pkg/annotations), in the order
// they are tried.
constexpr std::array<std::string_view, 2> kSandboxIdKeys = {"io.kubernetes.cri.sandbox-id",
                                                            "io.kubernetes.cri-o.SandboxID"};
constexpr std::array<std::string_view, 2> kPodNamespaceKeys = {
    "io.kubernetes.cri.sandbox-namespace", "io.kubernetes.cri-o.Namespace"};
constexpr std::array<std::string_view, 2> kPodNameKeys = {"io.kubernetes.cri.sandbox-name",
                                                          "io.kubernetes.cri-o.KubeName"};

Error wrong(std::string_view place, std::string_view want) {
  return Error::make(Code::kInvalidInput, fmt::format("{}: want {}", place, want));
}

Result<json> parse_object(std::string_view text) {
  auto document = json::parse(text, nullptr, false);
  if (document.is_discarded()) {
    return Error::make(Code::kInvalidInput, "not JSON");
  }
  if (!document.is_object()) {
    return wrong("$", "an object");
  }
  return document;
}

// The member, or null when it or its parent is not there; nothing is copied.
const json& member(const json& object, std::string_view key) {
  static const json absent;
  if (!object.is_object()) {
    return absent;
  }
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

Result<std::string> required_string(const json& object, std::string_view key) {
  const auto& value = member(object, key);
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) {
    return wrong(key, "a non-empty string");
  }
  return value.get<std::string>();
}

std::string first_annotation(const json& document, std::span<const std::string_view> keys) {
  const auto& annotations = member(document, "annotations");
  for (const auto key : keys) {
    if (const auto& value = member(annotations, key); value.is_string()) {
      return value.get<std::string>();
    }
  }
  return {};
}

Result<std::vector<OciDevice>> parse_devices(const json& document) {
  const auto& list = member(member(document, "linux"), "devices");
  std::vector<OciDevice> devices;
  if (list.is_null()) {
    return devices;
  }
  if (!list.is_array()) {
    return wrong("linux.devices", "a list");
  }
  for (const auto& entry : list) {
    const auto& path = member(entry, "path");
    if (!path.is_string()) {
      return wrong("linux.devices[].path", "a string");
    }
    // A FIFO has no numbers (config-linux.md): it stays 0:0, which no character device has.
    const auto& major = member(entry, "major");
    const auto& minor = member(entry, "minor");
    devices.push_back({.path = path.get<std::string>(),
                       .major = major.is_number() ? major.get<std::uint32_t>() : 0,
                       .minor = minor.is_number() ? minor.get<std::uint32_t>() : 0});
  }
  return devices;
}

bool names_memlock(const json& document) {
  const auto& limits = member(member(document, "process"), "rlimits");
  return std::any_of(limits.begin(), limits.end(),
                     [](const json& limit) { return member(limit, "type") == "RLIMIT_MEMLOCK"; });
}

}  // namespace

const OciDevice* OciConfig::find_device(std::string_view path) const {
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const OciDevice& device) { return device.path == path; });
  return found == devices.end() ? nullptr : &*found;
}

Result<OciState> parse_oci_state(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, parse_object(text));
  OciState state;
  ROCELANE_ASSIGN_OR_RETURN(state.id, required_string(document, "id"));
  ROCELANE_ASSIGN_OR_RETURN(state.bundle, required_string(document, "bundle"));
  const auto& pid = member(document, "pid");
  if (!pid.is_number_integer() || pid.get<std::int64_t>() <= 0 ||
      pid.get<std::int64_t>() > std::numeric_limits<pid_t>::max()) {
    return wrong("pid", "a process number");
  }
  state.pid = pid.get<pid_t>();
  return state;
}

Result<OciConfig> parse_oci_config(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, parse_object(text));
  OciConfig config;
  ROCELANE_ASSIGN_OR_RETURN(config.devices, parse_devices(document));
  config.has_memlock_limit = names_memlock(document);
  config.sandbox_id = first_annotation(document, kSandboxIdKeys);
  config.pod_namespace = first_annotation(document, kPodNamespaceKeys);
  config.pod_name = first_annotation(document, kPodNameKeys);
  return config;
}

}  // namespace rocelane::cni
