// SPDX-License-Identifier: Apache-2.0
// HostSnapshot: everything on a host that an attachment changes, as text lines that can be
// compared.
#pragma once

#include <string>
#include <vector>

namespace rocelane::test {

// Links with a PCI parent (name, MAC, MTU, up, alternative names, VF settings), RDMA devices, and
// every file below the given directories but lock files.
std::vector<std::string> host_snapshot(const std::vector<std::string>& directories);

}  // namespace rocelane::test
