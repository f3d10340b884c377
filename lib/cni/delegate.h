// SPDX-License-Identifier: Apache-2.0
// Running an IPAM plugin found on CNI_PATH, as the specification says (section 4, "Plugin
// Delegation").
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "lib/base/result.h"
#include "lib/cni/net_conf.h"
#include "lib/cni/protocol.h"

namespace rocelane::cni {

struct Delegate {
  const Call& call;     // CNI_PATH, container, netns, args as we got them
  std::string if_name;  // the interface the addresses are for
  const NetConf& conf;
  std::string ipam;  // JSON text with `type`
  std::chrono::milliseconds limit{30'000};
};

// The delegate's addresses and routes. kNotFound: no such plugin on CNI_PATH (the message lists the
// directories); kInvalidInput/kIo/kBusy: its error, with its own code and sentence.
Result<AddResult> ipam_add(const Delegate& delegate);
Result<void> ipam_del(const Delegate& delegate);
Result<void> ipam_check(const Delegate& delegate, std::string_view prev_result);

}  // namespace rocelane::cni
