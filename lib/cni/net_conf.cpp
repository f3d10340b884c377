// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/net_conf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/base/log.h"
#include "lib/cni/nad_fields.h"
#include "lib/config/config.h"
#include "lib/json/json_document.h"
#include "lib/json/json_reader.h"

namespace rocelane::cni {

namespace {

using Json = nlohmann::json;
using json::Object;
using json::Value;

constexpr std::string_view kAnnotationsCapability = "io.kubernetes.cri.pod-annotations";

// Runtimes and other tools add keys of their own kind ("cni.dev/valid-attachments", "a.b/c").
bool is_extension(std::string_view key) {
  return key.find_first_of("./") != std::string_view::npos;
}

Result<std::string> parse_absolute_path(std::string_view text) {
  if (text.empty() || text.front() != '/') {
    return Error::make(Code::kInvalidInput,
                       fmt::format("must be an absolute path, is \"{}\"", text));
  }
  return std::string(text);
}

// The specification's rule for `name` (section 1, "Configuration format").
Result<std::string> parse_network_name(std::string_view text) {
  const auto plain = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  const bool fine = !text.empty() && plain(static_cast<unsigned char>(text.front())) &&
                    std::all_of(text.begin(), text.end(), [&](unsigned char c) {
                      return plain(c) || c == '.' || c == '_' || c == '-';
                    });
  if (!fine) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("must begin with a letter or digit and have only those, '.', "
                                   "'_' and '-', is \"{}\"",
                                   text));
  }
  return std::string(text);
}

Places read_places(Object& object) {
  Places places{.config_file = std::string(config::kRenderedConfig),
                .state_dir = std::string(config::kStateDir),
                .cdi_dir = std::string(config::kCdiDir),
                .sysfs_root = std::string(config::kSysfsRoot),
                .pod_resources_socket = std::string(config::kPodResourcesSocket),
                .oci_hook = std::string(config::kOciHook)};
  object.parse("configFile", places.config_file, parse_absolute_path);
  object.parse("stateDir", places.state_dir, parse_absolute_path);
  object.parse("cdiDir", places.cdi_dir, parse_absolute_path);
  object.parse("sysfsRoot", places.sysfs_root, parse_absolute_path);
  object.parse("procRoot", places.proc_root, parse_absolute_path);
  object.parse("podResourcesSocket", places.pod_resources_socket, parse_absolute_path);
  object.parse("ociHook", places.oci_hook, parse_absolute_path);
  return places;
}

void read_runtime_config(Object& object, NetConf& conf) {
  const auto runtime = object.find("runtimeConfig");
  if (!runtime || runtime->is_null()) {
    return;
  }
  Object capabilities(*runtime);
  capabilities.allow_newer_keys();
  if (conf.nad) {
    capabilities.parse("mac", conf.nad->mac, MacAddress::parse);
  }
  capabilities.read(kAnnotationsCapability, conf.pod_annotations);
}

// libcni writes the list under both names; a nil one comes as null.
void read_valid_attachments(Object& object, NetConf& conf) {
  auto list = object.find("cni.dev/valid-attachments");
  list = list ? list : object.find("cni.dev/attachments");
  if (!list) {
    // Taken as an empty list it would release everything.
    object.problem("cni.dev/valid-attachments", "is missing");
    return;
  }
  if (list->is_null()) {
    return;
  }
  for (const auto& item : list->items()) {
    Object entry(item);
    entry.allow_newer_keys();
    std::pair<std::string, std::string> attachment;
    if (entry.require("containerID") && entry.require("ifname")) {
      entry.read("containerID", attachment.first);
      entry.read("ifname", attachment.second);
    }
    conf.valid_attachments.push_back(std::move(attachment));
  }
}

// Empty: fine.
std::string version_problem(const std::string& version, Command command) {
  if (!is_supported(version)) {
    return fmt::format(
        "cniVersion {} (want one of {})",
        version.empty() ? std::string("is missing") : "\"" + version + "\" is not supported",
        fmt::join(supported_versions(), ", "));
  }
  if (command == Command::kCheck && version == "0.3.1") {
    return "CHECK needs cniVersion 0.4.0 or newer";
  }
  if ((command == Command::kGc || command == Command::kStatus) && version != "1.1.0") {
    return "GC and STATUS need cniVersion 1.1.0 or newer";
  }
  return {};
}

void read_mode(Object& object, Command command, NetConf& conf) {
  conf.nad = read_nad_fields(object);
  conf.mode = conf.nad ? Mode::kNad : Mode::kChained;
  const bool needs_result = command == Command::kAdd || command == Command::kCheck;
  if (conf.mode == Mode::kChained && needs_result && conf.prev_result.empty()) {
    object.problem("prevResult",
                   "is missing, and so is deviceID: chain this plugin behind the primary one, or "
                   "name a device");
  }
}

void read_ipam(Object& object, std::string_view text, NetConf& conf) {
  const auto ipam = object.find("ipam");
  if (!ipam || ipam->is_null() || (ipam->is_object() && ipam->json().empty())) {
    return;
  }
  Object fields(*ipam);
  fields.allow_newer_keys();  // the delegate's own language
  if (fields.require("type")) {
    std::string type;
    fields.read("type", type);
  }
  conf.ipam = json::find_member_text(text, "ipam").value_or("");
}

void read_prev_result(Object& object, std::string_view text, NetConf& conf) {
  const auto result = object.find("prevResult");
  if (!result || result->is_null()) {
    return;
  }
  if (!result->is_object()) {
    result->problem("must be an object");
  }
  // Exactly the bytes that came in: numbers keep their digits and keys their order.
  const auto written = json::find_member_text(text, "prevResult");
  conf.prev_result = written ? std::string(*written) : json::encode(result->json());
}

void read_log(Object& object, NetConf& conf) {
  if (object.read("logLevel", conf.log_level)) {
    if (const auto level = log::parse_level(conf.log_level); !level.ok()) {
      object.problem("logLevel", level.error().message);
    }
  }
  object.parse("logFile", conf.log_file, parse_absolute_path);
}

void read_document(Object& object, std::string_view text, Command command, NetConf& conf) {
  object.allow_if(is_extension);
  object.allow({"cniVersion", "cniVersions", "capabilities", "args", "dns", "disableCheck",
                "disableGC", "loadOnlyInlinedPlugins", "ipMasq"});
  if (object.require("name")) {
    object.parse("name", conf.name, parse_network_name);
  }
  if (object.require("type")) {
    object.read("type", conf.type);
  }
  conf.places = read_places(object);
  read_prev_result(object, text, conf);
  read_ipam(object, text, conf);
  read_log(object, conf);
  read_mode(object, command, conf);
  read_runtime_config(object, conf);
  if (command == Command::kGc) {
    read_valid_attachments(object, conf);
  }
}

CniError error_of(ErrorCode code, std::string message) {
  return CniError{.code = code, .message = std::move(message), .details = {}};
}

NetConfOutcome refuse(ErrorCode code, std::string message) {
  return {.conf = std::nullopt, .error = error_of(code, std::move(message))};
}

// The key alone, before anything else: a document of another version must not be judged by our
// rules.
std::string version_of(const Json& document) {
  const auto found = document.find("cniVersion");
  return found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

NetConfOutcome parse_net_conf(std::string_view text, Command command) {
  NetConf conf;
  if (command == Command::kVersion && text.empty()) {
    return {.conf = std::move(conf), .error = std::nullopt};
  }
  const auto document = json::Document::parse(text);
  if (!document.ok()) {
    return refuse(ErrorCode::kDecode, "network configuration: " + document.error().message);
  }
  if (!document->value().is_object()) {
    return refuse(ErrorCode::kDecode, "network configuration: not a JSON object");
  }
  conf.cni_version = version_of(document->value());
  conf.raw = text;
  if (command == Command::kVersion) {
    return {.conf = std::move(conf), .error = std::nullopt};
  }
  if (auto problem = version_problem(conf.cni_version, command); !problem.empty()) {
    return refuse(ErrorCode::kIncompatibleVersion, std::move(problem));
  }
  json::Problems problems;
  report_duplicates(*document, problems);
  {
    Object object(Value(document->value(), "$", problems));
    read_document(object, text, command, conf);
  }
  if (problems.empty()) {
    return {.conf = std::move(conf), .error = std::nullopt};
  }
  NetConfOutcome outcome =
      refuse(ErrorCode::kInvalidConfig, "network configuration: " + problems.to_string());
  if (command == Command::kDel) {
    outcome.conf = std::move(conf);
  }
  return outcome;
}

std::string encode_delegate_conf(const NetConf& conf, std::string_view ipam) {
  Json out{{"cniVersion", conf.cni_version}, {"name", conf.name}, {"type", conf.type}};
  if (const auto parsed = json::Document::parse(ipam); parsed.ok()) {
    out["ipam"] = parsed->value();
  }
  const auto document = json::Document::parse(conf.raw);
  if (!document.ok() || !document->value().is_object()) {
    return json::encode(out);
  }
  for (const auto* key : {"args", "runtimeConfig"}) {
    if (const auto found = document->value().find(key); found != document->value().end()) {
      out[key] = *found;
    }
  }
  // Not the delegate's business, possibly large, and everything here is kept in the record.
  if (const auto runtime = out.find("runtimeConfig");
      runtime != out.end() && runtime->is_object()) {
    runtime->erase(std::string(kAnnotationsCapability));
  }
  return json::encode(out);
}

}  // namespace rocelane::cni
