// SPDX-License-Identifier: Apache-2.0
// The administrative MAC of a VF, derived from what identifies it. The same after each reboot;
// different on every node, because the permanent MACs of the PFs are.
#pragma once

#include <cstdint>
#include <set>

#include "lib/base/mac_address.h"
#include "lib/base/pci_address.h"

namespace rocelane::agent {

struct VfIdentity {
  MacAddress pf_permanent_mac;
  PciAddress pf;
  std::uint32_t vf = 0;
};

// How many addresses a VF may have; more collisions than that on one host cannot happen by chance.
inline constexpr unsigned kMacAttempts = 16;

// Locally administered unicast (IEEE 802: bit 1 set and bit 0 clear in the first octet).
MacAddress derive_vf_mac(const VfIdentity& vf, unsigned attempt);

// The address this VF should have, given the one it has and those others have. One of its own that
// nobody else has is kept, so that a VLAN or macvlan upper with the same address changes nothing.
MacAddress choose_vf_mac(const VfIdentity& vf, const MacAddress& current,
                         const std::set<MacAddress>& taken_by_vfs,
                         const std::set<MacAddress>& taken_by_links);

}  // namespace rocelane::agent
