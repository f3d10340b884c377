// SPDX-License-Identifier: Apache-2.0
// What the agent leaves on the host: programs, and the entry in the primary CNI network. Programs
// come first, so that an entry never names one that is not there.
#pragma once

#include "lib/base/result.h"
#include "lib/cni/conflist.h"
#include "node-agent/options.h"
#include "node-agent/primary_network.h"

namespace rocelane::agent {

// roce-cni into the CNI directory, roce-oci-hook into <stateDir>/bin; ends an earlier uninstall.
Result<void> install_programs(const Options& options);
// Only those that are not there at all: cheap enough for every look at the CNI directory.
Result<void> restore_programs(const Options& options);

// The entry with everything that is not the CNI program's own default.
cni::ChainedEntry chained_entry(const Options& options);

// `install`: both, once. Without a primary network the entry has to wait for `run`.
Result<void> install(const Options& options);

// `uninstall`: the entry, then the programs; those stay while attachments exist, because their pods
// still need a DEL and a starting container its hook. An agent that runs on does not put them back:
// <stateDir>/uninstalled tells it.
Result<void> uninstall(const Options& options);
bool is_uninstalled(const Options& options);

}  // namespace rocelane::agent
