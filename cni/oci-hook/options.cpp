// SPDX-License-Identifier: Apache-2.0
// By hand: five flags that only a program writes are not worth a parser library in a program that
// starts with every container.
#include "cni/oci-hook/options.h"

#include <charconv>

namespace rocelane::hook {

namespace {

Error wrong(std::string_view what) {
  return Error::make(Code::kInvalidInput, std::string(what) + "; " + std::string(kUsage));
}

Result<rlim_t> parse_memlock(std::string_view text) {
  if (text == "unlimited") {
    return RLIM_INFINITY;
  }
  rlim_t bytes = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) {
    return wrong("--memlock " + std::string(text) + ": want bytes or unlimited");
  }
  return bytes;
}

Result<void> set_option(Options& options, std::string_view flag, std::string_view value) {
  if (flag == "--record") {
    options.record_path = value;
  } else if (flag == "--generation") {
    options.generation = value;
  } else if (flag == "--device-id") {
    options.device_id = value;
  } else if (flag == "--memlock") {
    ROCELANE_ASSIGN_OR_RETURN(options.memlock, parse_memlock(value));
  } else {
    return wrong("unknown argument " + std::string(flag));
  }
  return {};
}

}  // namespace

Result<Options> parse_options(std::span<char* const> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view flag = arguments[i];
    if (flag == "--version") {
      options.show_version = true;
      return options;
    }
    if (i + 1 == arguments.size()) {
      return wrong(std::string(flag) + " has no value");
    }
    ROCELANE_RETURN_IF_ERROR(set_option(options, flag, arguments[i + 1]));
  }
  if (options.record_path.empty() || options.generation.empty() || options.device_id.empty()) {
    return wrong("--record, --generation and --device-id are needed");
  }
  return options;
}

}  // namespace rocelane::hook
