// SPDX-License-Identifier: Apache-2.0
// A record that is accepted comes back as it was.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/result.h"
#include "lib/state/record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto record = rocelane::state::parse_record(text);
  if (!record.ok()) {
    ROCELANE_CHECK(!record.error().message.empty());
    return 0;
  }
  const auto again = rocelane::state::parse_record(rocelane::state::encode_record(*record));
  ROCELANE_CHECK(again.ok() && *again == *record);
  return 0;
}
