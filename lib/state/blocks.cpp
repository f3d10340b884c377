// SPDX-License-Identifier: Apache-2.0
#include "lib/state/blocks.h"

#include <nlohmann/json.hpp>

#include "lib/base/file.h"

namespace rocelane::state {

namespace {

constexpr int kVersion = 1;

std::string path_in(const std::string& state_dir) { return state_dir + "/blocks.json"; }

Error damaged(std::string_view what) {
  return Error::make(Code::kInvalidInput, "blocks: " + std::string(what));
}

}  // namespace

std::string encode_blocks(const Blocks& blocks) {
  const nlohmann::json document = {{"version", kVersion}, {"blocks", blocks}};
  return document.dump() + "\n";
}

Result<Blocks> parse_blocks(std::string_view text) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("version", nlohmann::json()) != kVersion) {
    return damaged("not a JSON object of version 1");
  }
  const auto entries = document.value("blocks", nlohmann::json());
  if (!entries.is_object()) {
    return damaged("no object \"blocks\"");
  }
  Blocks blocks;
  for (const auto& [network, number] : entries.items()) {
    if (!number.is_number_unsigned()) {
      return damaged(network + " has no number");
    }
    blocks[network] = number.get<std::uint64_t>();
  }
  return blocks;
}

Result<Blocks> load_blocks(const std::string& state_dir) {
  const auto text = read_file(path_in(state_dir));
  if (!text.ok()) {
    return text.error().code == Code::kNotFound ? Result<Blocks>(Blocks()) : text.error();
  }
  return parse_blocks(*text);
}

Result<void> save_blocks(const std::string& state_dir, const Blocks& blocks) {
  return write_file_atomic(path_in(state_dir), encode_blocks(blocks), Durability::kDisk);
}

}  // namespace rocelane::state
