// SPDX-License-Identifier: Apache-2.0
// The JSON of results and errors: what goes out on stdout, and what a delegate answers.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/cni/protocol.h"
#include "lib/json/json_document.h"
#include "lib/json/json_reader.h"

namespace rocelane::cni {

namespace {

using Json = nlohmann::json;
using json::Object;
using json::Value;

// Which keys a version has. Versions are compared by their place in the list.
bool at_least(std::string_view version, std::string_view floor) {
  const auto& versions = supported_versions();
  const auto place = [&](std::string_view wanted) {
    return std::find(versions.begin(), versions.end(), wanted) - versions.begin();
  };
  return place(version) >= place(floor);
}

template <typename T>
void put(Json& into, const char* key, const std::optional<T>& value) {
  if (value) {
    into[key] = *value;
  }
}

Json encode(const Interface& interface, bool v110) {
  Json out{{"name", interface.name}};
  if (interface.mac) {
    out["mac"] = interface.mac->to_string();
  }
  if (!interface.sandbox.empty()) {
    out["sandbox"] = interface.sandbox;
  }
  if (v110) {
    put(out, "mtu", interface.mtu);
    if (!interface.pci_id.empty()) {
      out["pciID"] = interface.pci_id;
    }
  }
  return out;
}

Json encode(const Ip& ip, bool v100) {
  Json out{{"address", ip.address.to_string()}};
  if (!v100) {
    out["version"] = ip.address.address.v6 ? "6" : "4";
  }
  if (ip.gateway) {
    out["gateway"] = ip.gateway->to_string();
  }
  put(out, "interface", ip.interface);
  return out;
}

Json encode(const ResultRoute& route, bool v110) {
  Json out{{"dst", route.dst.to_string()}};
  if (route.gateway) {
    out["gw"] = route.gateway->to_string();
  }
  if (v110) {
    put(out, "mtu", route.mtu);
    put(out, "advmss", route.advmss);
    put(out, "priority", route.priority);
    put(out, "table", route.table);
    put(out, "scope", route.scope);
  }
  return out;
}

template <typename T>
Json encode_all(const std::vector<T>& values, bool newer) {
  Json out = Json::array();
  for (const auto& value : values) {
    out.push_back(encode(value, newer));
  }
  return out;
}

// Where no version is known yet (a document that is not JSON), the newest.
std::string_view version_or_newest(std::string_view version) {
  return version.empty() ? std::string_view(supported_versions().back()) : version;
}

Ip read_ip(const Value& value) {
  Ip ip;
  Object object(value);
  object.allow_newer_keys();
  object.require("address");
  object.parse("address", ip.address, IpPrefix::parse);
  object.parse("gateway", ip.gateway, IpAddress::parse);
  object.read("interface", ip.interface);
  return ip;
}

ResultRoute read_route(const Value& value) {
  ResultRoute route;
  Object object(value);
  object.allow_newer_keys();
  object.require("dst");
  object.parse("dst", route.dst, IpPrefix::parse);
  object.parse("gw", route.gateway, IpAddress::parse);
  object.read("mtu", route.mtu);
  object.read("advmss", route.advmss);
  object.read("priority", route.priority);
  object.read("table", route.table);
  object.read("scope", route.scope);
  return route;
}

Interface read_interface(const Value& value) {
  Interface interface;
  Object object(value);
  object.allow_newer_keys();
  object.read("name", interface.name);
  if (std::string mac; object.read("mac", mac) && !mac.empty()) {
    object.parse("mac", interface.mac, MacAddress::parse);
  }
  object.read("mtu", interface.mtu);
  object.read("sandbox", interface.sandbox);
  object.read("pciID", interface.pci_id);
  return interface;
}

template <typename T, typename Read>
void read_all(Object& object, std::string_view key, std::vector<T>& into, Read read) {
  const auto list = object.find(key);
  if (!list || list->is_null()) {
    return;
  }
  for (const auto& item : list->items()) {
    into.push_back(read(item));
  }
}

}  // namespace

std::string encode_result(const AddResult& result, std::string_view version) {
  const bool v100 = at_least(version, "1.0.0");
  const bool v110 = at_least(version, "1.1.0");
  Json out{{"cniVersion", version},
           {"interfaces", encode_all(result.interfaces, v110)},
           {"ips", encode_all(result.ips, v100)},
           {"routes", encode_all(result.routes, v110)},
           {"dns", Json::object()}};
  if (const auto dns = json::Document::parse(result.dns); !result.dns.empty() && dns.ok()) {
    out["dns"] = dns->value();
  }
  return json::encode(out);
}

std::string encode_error(const CniError& error, std::string_view version) {
  Json out{{"cniVersion", version_or_newest(version)},
           {"code", static_cast<std::uint32_t>(error.code)},
           {"msg", error.message}};
  if (!error.details.empty()) {
    out["details"] = error.details;
  }
  return json::encode(out);
}

std::string encode_versions(std::string_view version) {
  return json::encode(Json{{"cniVersion", version_or_newest(version)},
                           {"supportedVersions", supported_versions()}});
}

Result<AddResult> parse_result(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, json::Document::parse(text));
  json::Problems problems;
  AddResult result;
  {
    Object object(Value(document.value(), "$", problems));
    object.allow_newer_keys();
    if (object.find("ip4") || object.find("ip6")) {  // CNI specification 0.2.0
      return Error::make(Code::kUnsupported, "the result has the form of CNI 0.2.0 or older");
    }
    read_all(object, "interfaces", result.interfaces, read_interface);
    read_all(object, "ips", result.ips, read_ip);
    read_all(object, "routes", result.routes, read_route);
    if (const auto dns = object.find("dns"); dns && dns->is_object() && !dns->json().empty()) {
      result.dns = json::encode(dns->json());
    }
  }
  ROCELANE_RETURN_IF_ERROR(problems.to_result());
  return result;
}

std::optional<CniError> parse_error(std::string_view text) {
  const auto document = json::Document::parse(text);
  if (!document.ok() || !document->value().is_object()) {
    return std::nullopt;
  }
  json::Problems problems;
  std::uint32_t code = 0;
  CniError error;
  {
    Object object(Value(document->value(), "$", problems));
    object.allow_newer_keys();
    object.require("code");
    object.read("code", code);
    object.read("msg", error.message);
    object.read("details", error.details);
  }
  if (!problems.empty()) {
    return std::nullopt;
  }
  error.code = static_cast<ErrorCode>(code);
  return error;
}

}  // namespace rocelane::cni
