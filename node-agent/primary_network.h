// SPDX-License-Identifier: Apache-2.0
// Our entry in the node's primary CNI network: which file of the configuration directory the
// runtime loads, and keeping the entry in it.
//
// A list (*.conflist) is edited in place. A single plugin (*.conf, *.json) cannot be chained to and
// belongs to its provider: it stays, and a list derived from it, "<stem>-rocelane.conflist", sorts
// before it ('-' < '.'), so that the runtime loads that one. Derived files are ours: they follow
// their original and go with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/cni/conflist.h"

namespace rocelane::agent {

struct PrimaryNetwork {
  std::string path;
  std::string text;
  cni::ConfKind kind = cni::ConfKind::kList;
};

// The first file in name order that a runtime can load (libcni ConfFiles; containerd's go-cni and
// CRI-O's ocicni sort the same way), derived files left out. nullopt: none, or no directory.
Result<std::optional<PrimaryNetwork>> find_primary_network(const std::string& directory);

struct ChainOutcome {
  enum class State { kNoNetwork, kUnchanged, kWritten };
  State state = State::kNoNetwork;
  std::string path;  // of the file that has the entry
};

// Idempotent; kBusy when the provider wrote the file in the same moment (try again).
Result<ChainOutcome> ensure_chained(const std::string& directory, const cni::ChainedEntry& entry);

// Takes every entry of ours out of every file and removes derived files; the paths that changed.
Result<std::vector<std::string>> remove_chained(const std::string& directory);

}  // namespace rocelane::agent
