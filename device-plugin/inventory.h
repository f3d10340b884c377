// SPDX-License-Identifier: Apache-2.0
// The VFs of this host, found through the virtfn links of their PFs: one whose netdev or RDMA
// device is inside a pod is still there.
#pragma once

#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/rdma/function.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::plugin {

struct VirtualFunction {
  rdma::Function function;
  std::string acpi_index;             // empty: none
  std::vector<std::string> pf_names;  // the PF's netdevs; empty when this netns shows none
  bool pf_has_rdma = false;

  bool operator==(const VirtualFunction&) const = default;
};

// In order of PF address and VF index. A function that vanishes half-way is left out.
Result<std::vector<VirtualFunction>> scan_vfs(const sysfs::Sysfs& sysfs);

}  // namespace rocelane::plugin
