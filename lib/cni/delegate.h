// SPDX-License-Identifier: Apache-2.0
// Running an IPAM plugin found on CNI_PATH, as the specification says (section 4, "Plugin
// Delegation"). The request is self-contained, so that it can be repeated from a record long after
// the call.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni {

struct Delegate {
  std::string input;  // complete network configuration for its stdin, with `ipam.type`
  std::string container_id;
  std::string netns;              // may be empty for DEL
  std::string if_name;            // the interface the addresses are for
  std::string args;               // CNI_ARGS as it goes out: "IgnoreUnknown=1;K8S_POD_NAME=…"
  std::vector<std::string> path;  // CNI_PATH
  std::chrono::milliseconds limit{30'000};
};

// The delegate's addresses and routes. kNotFound: no such plugin on CNI_PATH (the message lists the
// directories); kInvalidInput: its input has no ipam.type; kBusy: it said "try again later" (code
// 11); kIo: any other error of its own, with its code and sentence, or its stderr when it said
// nothing.
Result<AddResult> ipam_add(const Delegate& delegate);
Result<void> ipam_del(const Delegate& delegate);
Result<void> ipam_check(const Delegate& delegate, std::string_view prev_result);

}  // namespace rocelane::cni
