// SPDX-License-Identifier: Apache-2.0
// The IPAM call of a record: the same for ADD and for every DEL that may ever follow.
#pragma once

#include "lib/attachment/plan.h"
#include "lib/cni/delegate.h"
#include "lib/state/record.h"

namespace rocelane::attachment {

cni::Delegate delegate_call(const Host& host, const state::Record& record);

}  // namespace rocelane::attachment
