// SPDX-License-Identifier: Apache-2.0
// Rendering: the cluster's configuration as one node sees it: entries whose nodeSelector does not
// match are dropped, and this node's address block is written into each host-local network.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lib/base/ip_address.h"
#include "lib/base/result.h"

namespace rocelane::config {

struct Node {
  std::string name;
  std::map<std::string, std::string> labels;
};

// The n-th block of 2^(32-block_size) addresses (or the IPv6 like) in `subnet`. kInvalidInput when
// the subnet has fewer blocks.
struct Block {
  IpAddress first;
  IpAddress last;
};
Result<Block> block_of(const IpPrefix& subnet, std::uint8_t block_size, std::uint64_t number);
// How many blocks the subnet has.
Result<std::uint64_t> block_count(const IpPrefix& subnet, std::uint8_t block_size);

// `text` is the cluster's document (already parsed once, so it is valid); the answer is JSON text
// that parse_config() accepts. `blocks`: network name -> this node's block number.
Result<std::string> render_config(std::string_view text, const Node& node,
                                  const std::map<std::string, std::uint64_t>& blocks);

}  // namespace rocelane::config
