// SPDX-License-Identifier: Apache-2.0
// Keeps our entry in the primary CNI network while the network's provider may rewrite the file, and
// says so when the two fight.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "lib/cni/conflist.h"
#include "node-agent/rewrite_guard.h"

namespace rocelane::agent {

class EntryKeeper {
 public:
  using Clock = RewriteGuard::Clock;
  static constexpr std::chrono::milliseconds kRetry{50};       // the file was being written
  static constexpr std::chrono::milliseconds kSlowed{10'000};  // between two rewrites in a fight

  EntryKeeper(std::string directory, cni::ChainedEntry entry)
      : directory_(std::move(directory)), entry_(std::move(entry)) {}

  // When to come back although nothing seems to happen; nullopt: no hurry.
  std::optional<std::chrono::milliseconds> keep(Clock::time_point now);

  // After an uninstall: the entry stays out, also one that was written in the same moment.
  void withdraw();

 private:
  void say_once(std::string text, bool is_error);

  std::string directory_;
  cni::ChainedEntry entry_;
  RewriteGuard guard_;
  std::optional<Clock::time_point> pause_until_;
  std::string said_;
};

}  // namespace rocelane::agent
