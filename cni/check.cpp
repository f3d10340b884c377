// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cni/commands.h"
#include "cni/host.h"
#include "lib/attachment/netdev.h"
#include "lib/attachment/release.h"

namespace rocelane::cni_plugin {

namespace {

CommandAnswer refuse(cni::ErrorCode code, std::string message) {
  return {.output = {},
          .error = cni::CniError{.code = code, .message = std::move(message), .details = {}}};
}

// Empty: as recorded.
std::string difference(const state::Record& record, const netns::NetNs& pod) {
  if (record.phase != state::Phase::kReady) {
    return fmt::format("{} is in phase {}, step {}", record.device_id, to_string(record.phase),
                       record.step);
  }
  const auto link = attachment::find_netdev(pod, record.device_id);
  if (!link.ok()) {
    return link.error().message;
  }
  if (!*link) {
    return record.device_id + " is not in the pod's netns";
  }
  if ((*link)->name != record.if_name) {
    return fmt::format("{} is named {} instead of {}", record.device_id, (*link)->name,
                       record.if_name);
  }
  return {};
}

}  // namespace

CommandAnswer check(const cni::Call& call, const cni::NetConf& conf) {
  const auto listing =
      state::Store::read_only(conf.places.state_dir).list_container(call.container_id);
  if (!listing.ok()) {
    return refuse(cni::ErrorCode::kIo, listing.error().message);
  }
  bool seen = false;
  for (const auto& record : listing->records) {
    if (record.cni_network_name != conf.name ||
        (conf.mode == cni::Mode::kNad && record.cni_if_name != call.if_name)) {
      continue;
    }
    seen = true;
    const auto pod = netns::NetNs::open(call.netns);
    if (!pod.ok()) {
      return refuse(cni::ErrorCode::kInvalidNetns, pod.error().message);
    }
    if (const auto problem = difference(record, *pod); !problem.empty()) {
      return refuse(cni::ErrorCode::kDevice, problem);
    }
  }
  if (!seen && conf.mode == cni::Mode::kNad) {
    return refuse(cni::ErrorCode::kUnknownContainer,
                  "no attachment of " + call.if_name + " in container " + call.container_id);
  }
  return {};
}

CommandAnswer status(const cni::NetConf& conf) {
  if (conf.mode == cni::Mode::kChained) {
    return {};
  }
  if (auto store = state::Store::open(conf.places.state_dir); !store.ok()) {
    return refuse(cni::ErrorCode::kNotAvailable, store.error().message);
  }
  return {};
}

}  // namespace rocelane::cni_plugin
