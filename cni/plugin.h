// SPDX-License-Identifier: Apache-2.0
// The plugin as a function: a CNI call in, an answer out. Everything but the kernel, the state
// directory and kubelet's socket is a parameter, so the protocol is tested in-process.
#pragma once

#include <string>
#include <string_view>

#include "lib/cni/protocol.h"

namespace rocelane::cni_plugin {

struct Answer {
  int exit_code = 0;   // 0, or 1 with an error object in `output`
  std::string output;  // for stdout, complete
};

Answer run(const cni::Environment& environment, std::string_view input);

}  // namespace rocelane::cni_plugin
