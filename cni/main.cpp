// SPDX-License-Identifier: Apache-2.0
// roce-cni: the CNI plugin. Environment and stdin in, one JSON document on stdout out; logs on
// stderr.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "cni/plugin.h"
#include "lib/base/version.h"

namespace {

std::optional<std::string> from_environment(std::string_view name) {
  // Single-threaded here, and nothing ever sets a variable.
  const char* value = std::getenv(std::string(name).c_str());  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// Run by hand: CNI programs take no arguments, so these two cannot be mistaken for a call.
bool answered_by_hand(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--version") {
    std::cout << "roce-cni " << rocelane::version() << '\n';
    return true;
  }
  if (first == "--help" || !from_environment("CNI_COMMAND")) {
    std::cout << "roce-cni " << rocelane::version()
              << ": a CNI plugin, called by a container runtime (CNI_COMMAND and the network "
                 "configuration on stdin); see docs/cni.md\n";
    return first == "--help";
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (answered_by_hand(argc, argv)) {
      return 0;
    }
    const std::string input{std::istreambuf_iterator<char>(std::cin),
                            std::istreambuf_iterator<char>()};
    const auto answer = rocelane::cni_plugin::run(from_environment, input);
    std::fwrite(answer.output.data(), 1, answer.output.size(), stdout);
    return std::fflush(stdout) == 0 ? answer.exit_code : 1;
  } catch (const std::exception& error) {  // a library's, out of memory: nothing of ours throws
    std::printf(R"({"cniVersion":"1.0.0","code":999,"msg":"%s"})", error.what());
    return 1;
  }
}
