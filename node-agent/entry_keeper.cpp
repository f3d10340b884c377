// SPDX-License-Identifier: Apache-2.0
#include "node-agent/entry_keeper.h"

#include "lib/base/log.h"
#include "node-agent/primary_network.h"

namespace rocelane::agent {

using std::chrono::milliseconds;

std::optional<milliseconds> EntryKeeper::keep(Clock::time_point now) {
  if (pause_until_ && now < *pause_until_) {
    return std::chrono::ceil<milliseconds>(*pause_until_ - now);
  }
  pause_until_.reset();
  const auto outcome = ensure_chained(directory_, entry_);
  if (!outcome.ok()) {
    const bool busy = outcome.error().code == Code::kBusy;
    if (!busy) {
      say_once("CNI entry cannot be kept: " + outcome.error().message, true);
    }
    return busy ? std::optional(kRetry) : std::nullopt;
  }
  if (outcome->state == ChainOutcome::State::kNoNetwork) {
    say_once("waiting for a primary CNI network in " + directory_, false);
    return std::nullopt;
  }
  if (outcome->state == ChainOutcome::State::kUnchanged) {
    return std::nullopt;
  }
  log::info("CNI entry added", {{"path", outcome->path}});
  said_.clear();
  guard_.note(now);
  if (!guard_.fighting(now)) {
    return std::nullopt;
  }
  pause_until_ = now + kSlowed;
  log::error(
      "somebody keeps taking the CNI entry out: its provider rewrites the file; slowing down",
      {{"path", outcome->path},
       {"rewrites", std::to_string(RewriteGuard::kLimit)},
       {"seconds", std::to_string(RewriteGuard::kWindow.count())}});
  return kSlowed;
}

void EntryKeeper::withdraw() {
  const auto removed = remove_chained(directory_);
  if (!removed.ok()) {
    say_once("CNI entry cannot be taken out: " + removed.error().message, true);
    return;
  }
  say_once("uninstalled: the CNI entry stays out until the agent starts again", false);
}

void EntryKeeper::say_once(std::string text, bool is_error) {
  if (text == said_) {
    return;
  }
  if (is_error) {
    log::error(text);
  } else {
    log::info(text);
  }
  said_ = std::move(text);
}

}  // namespace rocelane::agent
