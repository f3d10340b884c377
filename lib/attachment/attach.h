// SPDX-License-Identifier: Apache-2.0
// One attachment: a device goes into a pod's netns and is ready for verbs when attach() returns.
// Either all of it happened, or everything was undone, or a record in phase `releasing` says what
// is left.
//
// The order is that of docs/architecture.md; the names of the steps appear in errors and records.
#pragma once

#include <optional>
#include <string>

#include "lib/attachment/plan.h"
#include "lib/base/mac_address.h"
#include "lib/base/result.h"
#include "lib/cni/protocol.h"
#include "lib/state/record.h"

namespace rocelane::attachment {

struct Attached {
  state::Record record;
  MacAddress mac;
  std::uint32_t mtu = 0;
  cni::AddResult addresses;  // ips and routes as the IPAM gave them
};

struct Failure {
  std::string step;
  Error error;  // without the step's name
};

struct Outcome {
  std::optional<Attached> attached;
  std::optional<Failure> failure;
};

// Acts on the netns of the calling thread as the host's. Holds the device's lock all the while.
Outcome attach(const Host& host, const Plan& plan);

}  // namespace rocelane::attachment
