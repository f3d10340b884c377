// SPDX-License-Identifier: Apache-2.0
// What an OCI runtime tells a hook about a container (OCI runtime-spec: runtime.md "State",
// config.md, config-linux.md "Devices"). Pure; only the parts that this project looks at.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::cni {

// The state a hook gets on its standard input.
struct OciState {
  std::string id;
  pid_t pid = 0;       // of the container's first process, in the runtime's pid namespace
  std::string bundle;  // directory with config.json

  bool operator==(const OciState&) const = default;
};

struct OciDevice {
  std::string path;  // inside the container: "/dev/infiniband/uverbs3"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  bool operator==(const OciDevice&) const = default;
};

// The bundle's config.json.
struct OciConfig {
  std::vector<OciDevice> devices;
  bool has_memlock_limit = false;  // process.rlimits names RLIMIT_MEMLOCK
  // From the annotations of containerd and CRI-O; empty under another runtime.
  std::string sandbox_id;
  std::string pod_namespace;
  std::string pod_name;

  [[nodiscard]] const OciDevice* find_device(std::string_view path) const;
  bool operator==(const OciConfig&) const = default;
};

// kInvalidInput: not JSON, a missing or mistyped field; the message names it.
Result<OciState> parse_oci_state(std::string_view text);
Result<OciConfig> parse_oci_config(std::string_view text);

}  // namespace rocelane::cni
