// SPDX-License-Identifier: Apache-2.0
// Which CNI error code a failed attachment has: the one place that maps our errors to the
// protocol's.
#pragma once

#include "lib/attachment/attach.h"
#include "lib/attachment/plan.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni_plugin {

cni::CniError to_cni_error(const attachment::Plan& plan, const attachment::Failure& failure);

}  // namespace rocelane::cni_plugin
