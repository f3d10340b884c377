// SPDX-License-Identifier: Apache-2.0
// The hook's command line, as the CNI program writes it into the CDI spec.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane::hook {

struct Options {
  std::string record_path;
  std::string generation;
  std::string device_id;
  std::optional<rlim_t> memlock;  // RLIM_INFINITY: unlimited; absent: left alone
  bool show_version = false;
};

inline constexpr std::string_view kUsage =
    "usage: roce-oci-hook --record PATH --generation G --device-id ID "
    "[--memlock BYTES|unlimited] | --version";

// Without argv[0]. kInvalidInput names the argument.
Result<Options> parse_options(std::span<char* const> arguments);

}  // namespace rocelane::hook
