// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/cdi_spec.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "lib/base/file.h"

namespace rocelane::cni {

namespace {

using Json = nlohmann::ordered_json;

// Annotations need CDI 0.6.0; createRuntime hooks and device numbers are older.
constexpr auto kCdiVersion = "0.6.0";
constexpr auto kGenerationKey = "rocelane.io/generation";
// 0666: the node in the container is opened by whatever uid the pod runs as; the device cgroup is
// what keeps others out.
constexpr int kNodeMode = 0666;

}  // namespace

std::string encode_cdi_spec(const CdiSpec& spec) {
  Json nodes = Json::array();
  for (const auto& node : spec.nodes) {
    nodes.push_back(Json{{"path", node.path},
                         {"type", "c"},
                         {"major", node.major},
                         {"minor", node.minor},
                         {"permissions", "rw"},
                         {"fileMode", kNodeMode}});
  }
  Json edits{{"deviceNodes", std::move(nodes)}};
  if (!spec.hook.empty()) {
    edits["hooks"] = Json::array(
        {Json{{"hookName", "createRuntime"}, {"path", spec.hook}, {"args", spec.hook_args}}});
  }
  const Json document{
      {"cdiVersion", kCdiVersion},
      {"kind", spec.kind},
      {"annotations", Json{{kGenerationKey, spec.generation}}},
      {"devices",
       Json::array({Json{{"name", spec.device_id}, {"containerEdits", std::move(edits)}}})}};
  return document.dump(2) + "\n";
}

Result<void> write_cdi_spec(const std::string& path, const CdiSpec& spec) {
  ROCELANE_RETURN_IF_ERROR(make_directories(std::filesystem::path(path).parent_path().string()));
  // The directory is a tmpfs that no reboot survives, so the rename alone is enough.
  return write_file_atomic(path, encode_cdi_spec(spec), Durability::kRename);
}

Result<std::optional<std::string>> read_cdi_generation(const std::string& path) {
  const auto text = read_file(path);
  if (!text.ok()) {
    if (text.error().code == Code::kNotFound) {
      return std::optional<std::string>();
    }
    return text.error();
  }
  const auto document = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) {
    return std::optional<std::string>();
  }
  const auto annotations = document.find("annotations");
  if (annotations == document.end() || !annotations->is_object()) {
    return std::optional<std::string>();
  }
  const auto generation = annotations->find(kGenerationKey);
  if (generation == annotations->end() || !generation->is_string()) {
    return std::optional<std::string>();
  }
  return std::optional(generation->get<std::string>());
}

Result<void> remove_cdi_spec(const std::string& path, const std::string& generation) {
  ROCELANE_ASSIGN_OR_RETURN(const auto found, read_cdi_generation(path));
  if (found != generation) {
    return {};
  }
  return remove_file(path);
}

}  // namespace rocelane::cni
