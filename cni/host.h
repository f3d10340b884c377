// SPDX-License-Identifier: Apache-2.0
// The host as the network configuration describes it: state directory and places.
#pragma once

#include "lib/attachment/plan.h"
#include "lib/base/result.h"
#include "lib/cni/net_conf.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni_plugin {

// Creates the state directories.
Result<attachment::Host> open_host(const cni::Call& call, const cni::NetConf& conf);

}  // namespace rocelane::cni_plugin
