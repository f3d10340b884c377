// SPDX-License-Identifier: Apache-2.0
// The configuration file: what is accepted renders, and the rendering is accepted.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/result.h"
#include "lib/config/config.h"
#include "lib/config/render.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = rocelane::config::parse_config(text);
  if (!config.ok()) {
    ROCELANE_CHECK(!config.error().message.empty());
    return 0;
  }
  std::map<std::string, std::uint64_t> blocks;
  for (const auto& network : config->networks) {
    blocks[network.name] = 1;
  }
  const auto rendered = rocelane::config::render_config(text, {.name = "node"}, blocks);
  ROCELANE_CHECK(!rendered.ok() || rocelane::config::parse_config(*rendered).ok());
  return 0;
}
