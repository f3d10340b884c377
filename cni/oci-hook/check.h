// SPDX-License-Identifier: Apache-2.0
// The question the hook exists for: is this container about to get the device that its own pod
// holds now? A CDI spec can outlive its attachment (the node lost power, a DEL was cut off, another
// pod has the device): such a container must not start.
#pragma once

#include <string>

#include "cni/oci-hook/options.h"
#include "lib/base/result.h"
#include "lib/cni/oci_bundle.h"
#include "lib/state/record.h"

namespace rocelane::hook {

// Pure. kInvalidInput: what differs, in a few words.
Result<void> check_attachment(const state::Record& record, const Options& options,
                              const cni::OciConfig& container);

// The one sentence for the runtime's log and the pod's event. `record` is null when it could not be
// read: the pod's name then comes from the container's annotations.
std::string refusal(const Options& options, const state::Record* record,
                    const cni::OciConfig& container, const Error& reason);

}  // namespace rocelane::hook
