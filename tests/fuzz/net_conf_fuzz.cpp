// SPDX-License-Identifier: Apache-2.0
// The first byte chooses the command; the rest is the network configuration, and a delegate's
// answer.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "lib/base/result.h"
#include "lib/cni/net_conf.h"
#include "lib/cni/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using rocelane::cni::Command;
  if (size == 0) {
    return 0;
  }
  const auto command = static_cast<Command>(data[0] % 6);
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto outcome = rocelane::cni::parse_net_conf(text, command);
  ROCELANE_CHECK(outcome.conf || outcome.error);
  if (outcome.error) {
    const auto answer = rocelane::cni::encode_error(*outcome.error, "1.0.0");
    ROCELANE_CHECK(rocelane::cni::parse_error(answer).has_value());
  } else {
    static_cast<void>(rocelane::cni::encode_delegate_conf(*outcome.conf, outcome.conf->ipam));
  }
  if (const auto result = rocelane::cni::parse_result(text); result.ok()) {
    const auto again = rocelane::cni::parse_result(rocelane::cni::encode_result(*result, "1.1.0"));
    ROCELANE_CHECK(again.ok() && *again == *result);
  }
  static_cast<void>(rocelane::cni::parse_error(text));
  return 0;
}
