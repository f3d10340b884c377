// SPDX-License-Identifier: Apache-2.0
// The keys of a NetworkAttachmentDefinition, which are sriov-cni's.
#pragma once

#include "lib/cni/net_conf.h"
#include "lib/json/json_reader.h"

namespace rocelane::cni {

// nullopt without a device ID: then none of the keys may stand there.
std::optional<NadFields> read_nad_fields(json::Object& object);

}  // namespace rocelane::cni
