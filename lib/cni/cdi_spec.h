// SPDX-License-Identifier: Apache-2.0
// CDI spec files of this project (Container Device Interface 0.6.0): one file per device, written
// late, when the char device numbers are known. Runtimes follow rename events in the directory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::cni {

struct CdiDeviceNode {
  std::string path;  // in the container, "/dev/infiniband/uverbs3"
  std::uint32_t major = 0;
  std::uint32_t minor = 0;

  bool operator==(const CdiDeviceNode&) const = default;
};

struct CdiSpec {
  std::string kind;        // "rocelane.io/roce"
  std::string device_id;   // the CDI device's name
  std::string generation;  // of the record; an annotation of the spec
  std::vector<CdiDeviceNode> nodes;
  std::string hook;                    // createRuntime hook, absolute path; empty: none
  std::vector<std::string> hook_args;  // with argv[0]

  bool operator==(const CdiSpec&) const = default;
};

std::string encode_cdi_spec(const CdiSpec& spec);

// Writes through a temporary file without a .json suffix in the same directory, then renames.
Result<void> write_cdi_spec(const std::string& path, const CdiSpec& spec);
// The generation a spec file carries. Absent file, or not one of ours: nullopt.
Result<std::optional<std::string>> read_cdi_generation(const std::string& path);
// Removes the file only if it is of this generation; anything else is somebody newer's: left alone.
Result<void> remove_cdi_spec(const std::string& path, const std::string& generation);

}  // namespace rocelane::cni
