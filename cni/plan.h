// SPDX-License-Identifier: Apache-2.0
// From a CNI call to attachment plans: which devices, under which names, with which settings.
#pragma once

#include <optional>
#include <vector>

#include "lib/attachment/plan.h"
#include "lib/cni/net_conf.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni_plugin {

struct Planned {
  std::vector<attachment::Plan> plans;  // in attachment order; empty: nothing of ours in this pod
  std::optional<cni::CniError> error;
};

// The pod's devices are what kubelet says (PodResources) and the configuration calls chained. An
// error of asking is an error (code 11), never "no devices".
Planned plan_chained(const cni::Call& call, const cni::NetConf& conf);

// One device, named by the configuration's deviceID.
Planned plan_nad(const cni::Call& call, const cni::NetConf& conf);

}  // namespace rocelane::cni_plugin
