// SPDX-License-Identifier: Apache-2.0
#include "node-agent/vf_mac.h"

#include <fmt/format.h>

#include "node-agent/hash.h"

namespace rocelane::agent {

namespace {

constexpr std::uint8_t kMulticastBit = 0x01;
constexpr std::uint8_t kLocalBit = 0x02;

bool is_own(const VfIdentity& vf, const MacAddress& mac) {
  for (unsigned attempt = 0; attempt < kMacAttempts; ++attempt) {
    if (derive_vf_mac(vf, attempt) == mac) {
      return true;
    }
  }
  return false;
}

}  // namespace

MacAddress derive_vf_mac(const VfIdentity& vf, unsigned attempt) {
  auto bits = stable_hash(fmt::format("{}/{}/{}/{}", vf.pf_permanent_mac.to_string(),
                                      vf.pf.to_string(), vf.vf, attempt));
  MacAddress mac;
  for (auto& byte : mac.bytes) {
    byte = static_cast<std::uint8_t>(bits & 0xffU);
    bits >>= 8U;
  }
  mac.bytes[0] = static_cast<std::uint8_t>((mac.bytes[0] & ~kMulticastBit) | kLocalBit);
  return mac;
}

MacAddress choose_vf_mac(const VfIdentity& vf, const MacAddress& current,
                         const std::set<MacAddress>& taken_by_vfs,
                         const std::set<MacAddress>& taken_by_links) {
  if (is_own(vf, current) && !taken_by_vfs.contains(current)) {
    return current;
  }
  for (unsigned attempt = 0; attempt < kMacAttempts; ++attempt) {
    const auto mac = derive_vf_mac(vf, attempt);
    if (!taken_by_vfs.contains(mac) && !taken_by_links.contains(mac)) {
      return mac;
    }
  }
  return derive_vf_mac(vf, 0);
}

}  // namespace rocelane::agent
