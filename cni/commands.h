// SPDX-License-Identifier: Apache-2.0
// The CNI commands, one function each, for both modes (chained entry and
// NetworkAttachmentDefinition).
#pragma once

#include <optional>
#include <string>

#include "lib/cni/net_conf.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni_plugin {

struct CommandAnswer {
  std::string output;
  std::optional<cni::CniError> error;
};

// Chained: prevResult goes out as it came in, whether the pod holds devices of ours or not.
CommandAnswer add(const cni::Call& call, const cni::NetConf& conf);
// Chained: never an error (it would keep the primary plugin's own clean-up from running); what
// could not be finished stays in its record as `releasing` for the next DEL, ADD or GC.
CommandAnswer del(const cni::Call& call, const cni::NetConf& conf);
CommandAnswer check(const cni::Call& call, const cni::NetConf& conf);
// Releases attachments of this network that are not among the valid ones and whose netns is gone.
CommandAnswer collect_garbage(const cni::Call& call, const cni::NetConf& conf);
// Chained: never an error (one failing plugin makes the whole node NotReady).
CommandAnswer status(const cni::NetConf& conf);

}  // namespace rocelane::cni_plugin
