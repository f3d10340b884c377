// SPDX-License-Identifier: Apache-2.0
// A VF's settings on its PF: read before the first change, written only where different, put back
// exactly. All calls act on the PF in the netns of the calling thread (PFs stay in the host's).
#pragma once

#include <optional>
#include <string>

#include "lib/attachment/plan.h"
#include "lib/base/result.h"
#include "lib/netlink/link.h"
#include "lib/rdma/function.h"
#include "lib/state/record.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::attachment {

struct Inspected {
  rdma::Function function;
  netlink::Link netdev;             // on the host
  std::optional<netlink::Link> pf;  // with its VFs; absent for a function that is not a VF
  state::SavedVf saved;
};

// What the device is now, and whether the plan can be carried out on it. kNotFound: no such
// function, no driver, or no netdev on the host; kInvalidInput: the plan asks for what it cannot
// have.
Result<Inspected> inspect(const sysfs::Sysfs& sysfs, const Plan& plan);

// Writes what differs and reads the VLAN back.
Result<void> apply_settings(const Inspected& device, const VfSettings& settings);

// Puts the PF's side back as recorded. Tries every setting; the error names all that failed. A VF
// or PF that no longer exists has nothing to restore: success.
Result<void> restore_settings(const sysfs::Sysfs& sysfs, const std::string& device_id,
                              const state::SavedVf& saved);

}  // namespace rocelane::attachment
