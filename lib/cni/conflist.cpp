// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/conflist.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rocelane::cni {

namespace {

// Insertion order is kept, so a provider's file comes out as its author ordered it.
using nlohmann::ordered_json;

constexpr std::string_view kOurType = "roce-cni";
constexpr int kIndent = 2;

Error wrong(std::string_view what) { return Error::make(Code::kInvalidInput, std::string(what)); }

bool has_text(const ordered_json& object, std::string_view key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() &&
         !found->get_ref<const std::string&>().empty();
}

bool is_ours(const ordered_json& plugin) {
  return has_text(plugin, "type") && plugin["type"] == kOurType;
}

Result<ConfKind> classify(const ordered_json& document) {
  if (!document.is_object()) {
    return wrong("not a JSON object");
  }
  if (!has_text(document, "name")) {
    return wrong("no name");
  }
  if (!document.contains("plugins")) {
    return has_text(document, "type") ? Result<ConfKind>(ConfKind::kSingle)
                                      : wrong("neither type nor plugins");
  }
  const auto& plugins = document["plugins"];
  if (!plugins.is_array() || plugins.empty()) {
    return wrong("no plugins");
  }
  if (!std::all_of(plugins.begin(), plugins.end(),
                   [](const ordered_json& plugin) { return has_text(plugin, "type"); })) {
    return wrong("a plugin without a type");
  }
  return ConfKind::kList;
}

ordered_json parse(std::string_view text) { return ordered_json::parse(text, nullptr, false); }

ordered_json encode(const ChainedEntry& entry) {
  ordered_json plugin = {{"type", kOurType},
                         {"capabilities", {{"io.kubernetes.cri.pod-annotations", true}}}};
  const auto put = [&](std::string_view key, const std::string& value) {
    if (!value.empty()) {
      plugin[std::string(key)] = value;
    }
  };
  put("configFile", entry.config_file);
  put("stateDir", entry.state_dir);
  put("cdiDir", entry.cdi_dir);
  put("sysfsRoot", entry.sysfs_root);
  put("podResourcesSocket", entry.pod_resources_socket);
  put("logLevel", entry.log_level);
  return plugin;
}

// As libcni's ConfListFromConf: name and cniVersion go up to the list; in a list they mean nothing
// in a plugin.
ordered_json list_of_one(ordered_json single) {
  ordered_json list;
  for (const char* key : {"cniVersion", "name"}) {
    if (single.contains(key)) {
      list[key] = single[key];
      single.erase(key);
    }
  }
  list["plugins"] = ordered_json::array({std::move(single)});
  return list;
}

// Whether anything was removed.
bool drop_ours(ordered_json& plugins) {
  const auto first = std::remove_if(plugins.begin(), plugins.end(), is_ours);
  const bool any = first != plugins.end();
  plugins.erase(first, plugins.end());
  return any;
}

std::string to_text(const ordered_json& document) { return document.dump(kIndent) + "\n"; }

}  // namespace

Result<ConfKind> classify_conf(std::string_view text) { return classify(parse(text)); }

Result<std::optional<std::string>> add_chained_entry(std::string_view text,
                                                     const ChainedEntry& entry) {
  auto document = parse(text);
  ROCELANE_ASSIGN_OR_RETURN(const auto kind, classify(document));
  if (kind == ConfKind::kSingle) {
    document = list_of_one(std::move(document));
  }
  auto& plugins = document["plugins"];
  const auto before = plugins;
  drop_ours(plugins);
  if (plugins.empty()) {
    return wrong("no plugin but ours: there is no primary network to be chained to");
  }
  plugins.push_back(encode(entry));
  if (kind == ConfKind::kList && plugins == before) {
    return std::optional<std::string>();
  }
  return std::optional(to_text(document));
}

Result<std::optional<std::string>> remove_chained_entry(std::string_view text) {
  auto document = parse(text);
  ROCELANE_ASSIGN_OR_RETURN(const auto kind, classify(document));
  if (kind == ConfKind::kSingle || !drop_ours(document["plugins"])) {
    return std::optional<std::string>();
  }
  return std::optional(to_text(document));
}

}  // namespace rocelane::cni
