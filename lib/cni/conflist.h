// SPDX-License-Identifier: Apache-2.0
// Editing the node's CNI network configuration: our entry as the last plugin of the primary
// network, everything else as it was (same keys, same order, same cniVersion). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane::cni {

// What our entry says beside its type; empty: left out, the program's default holds.
struct ChainedEntry {
  std::string config_file;
  std::string state_dir;
  std::string cdi_dir;
  std::string sysfs_root;
  std::string pod_resources_socket;
  std::string log_level;

  bool operator==(const ChainedEntry&) const = default;
};

// What a file in the configuration directory is for a runtime.
enum class ConfKind {
  kList,    // {"name":…, "plugins":[…]}: used as it is
  kSingle,  // {"name":…, "type":…}: runtimes wrap it into a list of one
};

// kInvalidInput: a runtime would not load it either (libcni NetworkConfFromBytes and
// NetworkConfFromFile: not JSON, no name, no plugin, a plugin without a type).
Result<ConfKind> classify_conf(std::string_view text);

// The file with our entry appended, or replaced in place when it differs and is the last one; an
// entry in the middle moves to the end. nullopt: already as wanted. A kSingle text becomes a list.
Result<std::optional<std::string>> add_chained_entry(std::string_view text,
                                                     const ChainedEntry& entry);

// The file without any entry of ours; nullopt: there was none.
Result<std::optional<std::string>> remove_chained_entry(std::string_view text);

}  // namespace rocelane::cni
