// SPDX-License-Identifier: Apache-2.0
// A hash that stays the same for ever: MAC addresses and address blocks of running clusters depend
// on its values.
#pragma once

#include <cstdint>
#include <string_view>

namespace rocelane::agent {

// FNV-1a, 64 bits, then MurmurHash3's finalizer, so that any part of the value can be used alone.
constexpr std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  hash = (hash ^ (hash >> 33U)) * 0xff51afd7ed558ccdU;
  hash = (hash ^ (hash >> 33U)) * 0xc4ceb9fe1a85ec53U;
  return hash ^ (hash >> 33U);
}

}  // namespace rocelane::agent
