// SPDX-License-Identifier: Apache-2.0
#include "node-agent/primary_network.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "lib/base/file.h"
#include "lib/base/log.h"

namespace rocelane::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDerivedSuffix = "-rocelane.conflist";
constexpr std::string_view kListExtension = ".conflist";
constexpr mode_t kDefaultMode = 0644;
constexpr mode_t kPermissionBits = 07777;

bool is_configuration(const fs::path& path) {
  const auto extension = path.extension();
  return extension == kListExtension || extension == ".conf" || extension == ".json";
}

bool is_derived(const fs::path& path) { return path.filename().string().ends_with(kDerivedSuffix); }

std::string derived_path(const std::string& original) {
  const fs::path path(original);
  return (path.parent_path() / (path.stem().string() + std::string(kDerivedSuffix))).string();
}

// In name order; absent directory: empty.
Result<std::vector<fs::path>> list_configurations(const std::string& directory) {
  std::error_code problem;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(directory, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    if (is_configuration(entry->path())) {
      paths.push_back(entry->path());
    }
  }
  if (problem && problem != std::errc::no_such_file_or_directory) {
    return Error::from_errno(problem.value(), "listing " + directory);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// nullopt: a runtime would not load this file.
std::optional<PrimaryNetwork> load(const fs::path& path) {
  auto text = read_file(path.string());
  const auto kind = text.ok() ? cni::classify_conf(*text) : Result<cni::ConfKind>(text.error());
  if (!kind.ok()) {
    log::debug("not a network configuration",
               {{"path", path.string()}, {"err", kind.error().message}});
    return std::nullopt;
  }
  // libcni decides by the name whether it reads a list or a single plugin.
  const bool named_as_list = path.extension() == kListExtension;
  if (named_as_list != (*kind == cni::ConfKind::kList)) {
    return std::nullopt;
  }
  return PrimaryNetwork{.path = path.string(), .text = std::move(*text), .kind = *kind};
}

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & kPermissionBits : kDefaultMode;
}

// Replaces `path`, unless somebody changed it since `seen` was read from it.
Result<void> write_if_still(const std::string& path, const std::string& seen,
                            const std::string& text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto now, read_file(path));
  if (now != seen) {
    return Error::make(Code::kBusy, path + " was being rewritten");
  }
  // A link may be how the distribution keeps the file elsewhere: its target is what we replace.
  std::error_code ignored;
  const auto target = fs::canonical(path, ignored);
  return write_file_atomic(target.empty() ? path : target.string(), text, Durability::kDisk,
                           mode_of(path));
}

Result<void> remove_derived_except(const std::string& directory, const std::string& keep) {
  ROCELANE_ASSIGN_OR_RETURN(const auto paths, list_configurations(directory));
  for (const auto& path : paths) {
    if (is_derived(path) && path.string() != keep) {
      ROCELANE_RETURN_IF_ERROR(remove_file(path.string(), Durability::kDisk));
      log::info("derived network configuration removed", {{"path", path.string()}});
    }
  }
  return {};
}

Result<ChainOutcome> write_derived(const PrimaryNetwork& original, const std::string& text) {
  const auto path = derived_path(original.path);
  const auto now = read_file(path);
  if (now.ok() && *now == text) {
    return ChainOutcome{ChainOutcome::State::kUnchanged, path};
  }
  ROCELANE_RETURN_IF_ERROR(
      write_file_atomic(path, text, Durability::kDisk, mode_of(original.path)));
  return ChainOutcome{ChainOutcome::State::kWritten, path};
}

}  // namespace

Result<std::optional<PrimaryNetwork>> find_primary_network(const std::string& directory) {
  ROCELANE_ASSIGN_OR_RETURN(const auto paths, list_configurations(directory));
  for (const auto& path : paths) {
    if (is_derived(path)) {
      continue;
    }
    if (auto network = load(path)) {
      return network;
    }
  }
  return std::optional<PrimaryNetwork>();
}

Result<ChainOutcome> ensure_chained(const std::string& directory, const cni::ChainedEntry& entry) {
  ROCELANE_ASSIGN_OR_RETURN(const auto primary, find_primary_network(directory));
  const bool derives = primary && primary->kind == cni::ConfKind::kSingle;
  ROCELANE_RETURN_IF_ERROR(
      remove_derived_except(directory, derives ? derived_path(primary->path) : ""));
  if (!primary) {
    return ChainOutcome{};
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto text, cni::add_chained_entry(primary->text, entry));
  if (derives) {
    return write_derived(*primary, text.value_or(primary->text));
  }
  if (!text) {
    return ChainOutcome{ChainOutcome::State::kUnchanged, primary->path};
  }
  ROCELANE_RETURN_IF_ERROR(write_if_still(primary->path, primary->text, *text));
  return ChainOutcome{ChainOutcome::State::kWritten, primary->path};
}

Result<std::vector<std::string>> remove_chained(const std::string& directory) {
  ROCELANE_ASSIGN_OR_RETURN(const auto paths, list_configurations(directory));
  std::vector<std::string> changed;
  for (const auto& path : paths) {
    const auto network = load(path);
    if (!network) {
      continue;
    }
    if (is_derived(path)) {
      ROCELANE_RETURN_IF_ERROR(remove_file(network->path, Durability::kDisk));
      changed.push_back(network->path);
      continue;
    }
    ROCELANE_ASSIGN_OR_RETURN(const auto text, cni::remove_chained_entry(network->text));
    if (text) {
      ROCELANE_RETURN_IF_ERROR(write_if_still(network->path, network->text, *text));
      changed.push_back(network->path);
    }
  }
  return changed;
}

}  // namespace rocelane::agent
