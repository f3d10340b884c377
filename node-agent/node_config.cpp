// SPDX-License-Identifier: Apache-2.0
#include "node-agent/node_config.h"

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "node-agent/hash.h"

namespace rocelane::agent {

namespace {

constexpr unsigned kByteBits = 8;

// In which block of the subnet an address lies.
std::uint64_t block_number(const IpPrefix& subnet, std::uint8_t block_size,
                           const IpAddress& address) {
  std::uint64_t number = 0;
  for (unsigned at = subnet.length; at < block_size; ++at) {
    const unsigned bit = (address.bytes[at / kByteBits] >> (kByteBits - 1 - at % kByteBits)) & 1U;
    number = number << 1U | bit;
  }
  return number;
}

// The blocks that the network's own range allows.
struct Choice {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  [[nodiscard]] bool has(std::uint64_t number) const { return number >= first && number <= last; }
};

Result<Choice> choice_of(const config::Ipam& ipam) {
  const auto& range = *ipam.range;
  ROCELANE_ASSIGN_OR_RETURN(const auto count, config::block_count(range.subnet, ipam.block_size));
  Choice choice{.first = 0, .last = count - 1};
  if (range.range_start) {
    choice.first = block_number(range.subnet, ipam.block_size, *range.range_start);
  }
  if (range.range_end) {
    choice.last = block_number(range.subnet, ipam.block_size, *range.range_end);
  }
  return choice;
}

std::uint64_t first_try(std::string_view node, const Choice& choice) {
  const auto width = choice.last - choice.first + 1;  // 0: all 64-bit numbers
  return choice.first + (width == 0 ? stable_hash(node) : stable_hash(node) % width);
}

bool has_blocks(const config::Network& network) {
  return network.ipam && network.ipam->type == "host-local" && network.ipam->range;
}

// Damaged numbers are worth a warning, not a stop: the first choice gives the same ones again
// unless leases moved this node.
state::Blocks kept_blocks(const std::string& state_dir) {
  auto kept = state::load_blocks(state_dir);
  if (!kept.ok()) {
    log::warn("address blocks chosen again", {{"err", kept.error().message}});
    return {};
  }
  return std::move(*kept);
}

}  // namespace

Result<state::Blocks> choose_blocks(const config::Config& config, std::string_view node,
                                    const state::Blocks& kept) {
  auto blocks = kept;
  for (const auto& network : config.networks) {
    if (!has_blocks(network)) {
      continue;
    }
    ROCELANE_ASSIGN_OR_RETURN(const auto choice, choice_of(*network.ipam));
    const auto found = blocks.find(network.name);
    if (found == blocks.end() || !choice.has(found->second)) {
      blocks[network.name] = first_try(node, choice);
    }
  }
  return blocks;
}

NodeConfig::NodeConfig(std::string source, std::string state_dir, config::Node node)
    : source_(std::move(source)), state_dir_(std::move(state_dir)), node_(std::move(node)) {}

void NodeConfig::start_from_disk() {
  if (auto config = config::load_config(rendered_path()); config.ok()) {
    current_ = std::move(*config);
  }
}

Result<std::string> NodeConfig::render() {
  ROCELANE_ASSIGN_OR_RETURN(const auto text, read_file(source_));
  ROCELANE_ASSIGN_OR_RETURN(const auto config, config::parse_config(text).with_context(source_));
  const auto kept = kept_blocks(state_dir_);
  ROCELANE_ASSIGN_OR_RETURN(const auto blocks, choose_blocks(config, node_.name, kept));
  if (blocks != kept) {
    ROCELANE_RETURN_IF_ERROR(state::save_blocks(state_dir_, blocks));
  }
  return config::render_config(text, node_, blocks);
}

Result<bool> NodeConfig::refresh() {
  ROCELANE_ASSIGN_OR_RETURN(const auto text, render());
  ROCELANE_ASSIGN_OR_RETURN(auto config, config::parse_config(text).with_context("rendered"));
  const auto written = read_file(rendered_path());
  if (!written.ok() || *written != text) {
    ROCELANE_RETURN_IF_ERROR(write_file_atomic(rendered_path(), text, Durability::kDisk));
  }
  const bool changed = config != current_;
  current_ = std::move(config);
  return changed;
}

}  // namespace rocelane::agent
