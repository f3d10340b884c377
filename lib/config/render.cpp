// SPDX-License-Identifier: Apache-2.0
#include "lib/config/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "lib/config/config.h"
#include "lib/json/json_document.h"

namespace rocelane::config {

namespace {

using Json = nlohmann::json;

constexpr unsigned kV4Bits = 32;
constexpr unsigned kV6Bits = 128;
constexpr unsigned kByteBits = 8;

unsigned bits_of(const IpAddress& address) { return address.v6 ? kV6Bits : kV4Bits; }

// Writes the low `count` bits of `number` so that they end at bit `end` (0: the address's first).
void write_bits(IpAddress& address, unsigned end, unsigned count, std::uint64_t number) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = end - 1 - i;
    const auto mask = static_cast<std::uint8_t>(0x80U >> (at % kByteBits));
    auto& byte = address.bytes[at / kByteBits];
    const bool one = i < std::numeric_limits<std::uint64_t>::digits && ((number >> i) & 1U) != 0;
    byte = static_cast<std::uint8_t>(one ? byte | mask : byte & ~mask);
  }
}

IpAddress last_of(IpAddress first, unsigned length) {
  for (unsigned at = length; at < bits_of(first); ++at) {
    first.bytes[at / kByteBits] |= static_cast<std::uint8_t>(0x80U >> (at % kByteBits));
  }
  return first;
}

IpAddress step(IpAddress address, bool up) {
  const std::uint8_t wrapped = up ? 0 : 0xff;
  for (auto at = bits_of(address) / kByteBits; at-- > 0;) {
    auto& byte = address.bytes[at];
    byte = static_cast<std::uint8_t>(up ? byte + 1 : byte - 1);
    if (byte != wrapped) {
      break;
    }
  }
  return address;
}

Result<void> check_block_size(const IpPrefix& subnet, std::uint8_t block_size) {
  if (block_size < subnet.length || block_size > bits_of(subnet.address)) {
    return Error::make(Code::kInvalidInput, fmt::format("{} cannot be cut into blocks of /{}",
                                                        subnet.to_string(), block_size));
  }
  return {};
}

bool is_here(const Json& entry, const Node& node) {
  const auto selector = entry.find("nodeSelector");
  if (selector == entry.end()) {
    return true;
  }
  for (const auto& [key, value] : selector->items()) {
    const auto label = node.labels.find(key);
    if (label == node.labels.end() || value != label->second) {
      return false;
    }
  }
  return true;
}

// The rest of `list` is this node's, so the selectors have done their work.
void keep_entries_of(Json& list, const Node& node) {
  Json kept = Json::array();
  for (auto& entry : list) {
    if (is_here(entry, node)) {
      entry.erase("nodeSelector");
      kept.push_back(std::move(entry));
    }
  }
  list = std::move(kept);
}

// The block's addresses that hosts may have: not the subnet's own nor its broadcast address, and
// inside the range that the configuration gives, if any.
Result<Block> usable_part(const IpamRange& range, std::uint8_t block_size, std::uint64_t number) {
  ROCELANE_ASSIGN_OR_RETURN(auto block, block_of(range.subnet, block_size, number));
  const auto& subnet = range.subnet;
  if (block.first == subnet.address) {
    block.first = step(block.first, true);
  }
  if (!subnet.address.v6 && block.last == last_of(subnet.address, subnet.length)) {
    block.last = step(block.last, false);
  }
  block.first = std::max(block.first, range.range_start.value_or(block.first));
  block.last = std::min(block.last, range.range_end.value_or(block.last));
  if (block.last < block.first) {
    return Error::make(Code::kInvalidInput, fmt::format("block {} of {} has no usable address",
                                                        number, subnet.to_string()));
  }
  return block;
}

std::set<std::string> networks_used(const Json& document) {
  std::set<std::string> names;
  const auto pools = document.find("resourceList");
  if (pools != document.end()) {
    for (const auto& pool : *pools) {
      const auto network = pool.find("network");
      const auto* name = network == pool.end() ? nullptr : network->get_ptr<const std::string*>();
      if (name != nullptr) {
        names.insert(*name);
      }
    }
  }
  return names;
}

// Writes the blocks. A host-local network without a block must not reach the node: two nodes would
// hand out the same addresses.
Result<void> write_blocks(Json& document, const Config& config,
                          const std::map<std::string, std::uint64_t>& blocks) {
  const auto used = networks_used(document);
  Json kept = Json::array();
  for (std::size_t i = 0; i < config.networks.size(); ++i) {
    const auto& network = config.networks[i];
    auto& entry = document["networks"][i];
    if (network.ipam && network.ipam->range) {
      const auto block = blocks.find(network.name);
      if (block == blocks.end() && used.count(network.name) == 0) {
        continue;
      }
      if (block == blocks.end()) {
        return Error::make(
            Code::kInvalidInput,
            fmt::format("network {} has no address block on this node", network.name));
      }
      const auto part = usable_part(*network.ipam->range, network.ipam->block_size, block->second)
                            .with_context("network " + network.name);
      if (!part.ok()) {
        return part.error();
      }
      entry["ipam"]["rangeStart"] = part->first.to_string();
      entry["ipam"]["rangeEnd"] = part->last.to_string();
    }
    kept.push_back(std::move(entry));
  }
  if (document.contains("networks")) {
    document["networks"] = std::move(kept);
  }
  return {};
}

}  // namespace

Result<Block> block_of(const IpPrefix& subnet, std::uint8_t block_size, std::uint64_t number) {
  ROCELANE_ASSIGN_OR_RETURN(const auto count, block_count(subnet, block_size));
  if (number >= count) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("{} has {} blocks of /{}, there is no block {}",
                                   subnet.to_string(), count, block_size, number));
  }
  Block block{.first = subnet.network().address, .last = {}};
  write_bits(block.first, block_size, block_size - subnet.length, number);
  block.last = last_of(block.first, block_size);
  return block;
}

Result<std::uint64_t> block_count(const IpPrefix& subnet, std::uint8_t block_size) {
  ROCELANE_RETURN_IF_ERROR(check_block_size(subnet, block_size));
  const unsigned bits = block_size - unsigned{subnet.length};
  return bits < std::numeric_limits<std::uint64_t>::digits
             ? std::uint64_t{1} << bits
             : std::numeric_limits<std::uint64_t>::max();
}

Result<std::string> render_config(std::string_view text, const Node& node,
                                  const std::map<std::string, std::uint64_t>& blocks) {
  ROCELANE_ASSIGN_OR_RETURN(const auto config, parse_config(text));
  ROCELANE_ASSIGN_OR_RETURN(auto document, json::Document::parse(text));
  Json& root = document.value();
  if (root.contains("resourceList")) {
    keep_entries_of(root["resourceList"], node);
  }
  if (root.contains("fabric") && root["fabric"].contains("ports")) {
    keep_entries_of(root["fabric"]["ports"], node);
  }
  ROCELANE_RETURN_IF_ERROR(write_blocks(root, config, blocks));
  auto rendered = json::encode_pretty(root);
  // Two entries of one name may both select this node: said here, not by the programs that read it.
  if (const auto check = parse_config(rendered); !check.ok()) {
    return check.error().with_context("rendering the configuration of node " + node.name);
  }
  return rendered;
}

}  // namespace rocelane::config
