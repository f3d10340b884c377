// SPDX-License-Identifier: Apache-2.0
// fake-kubelet SOCKET PODS.json [--get served|disabled|unimplemented] [--no-rate-limit]
// [--delay-ms N]: PodResources for tests of other programs. Prints "ready" when it listens; SIGHUP
// reads the file again; SIGTERM prints the call counts and ends.
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/file.h"
#include "tests/support/fake_pod_resources.h"

namespace rocelane::test {
namespace {

Result<void> load(FakePodResources& service, const std::string& path) {
  ROCELANE_ASSIGN_OR_RETURN(const auto text, read_file(path));
  ROCELANE_ASSIGN_OR_RETURN(auto pods, parse_pods(text));
  service.set_pods(std::move(pods));
  return {};
}

Result<void> apply_option(FakePodResources& service, std::string_view option,
                          std::string_view value) {
  if (option == "--no-rate-limit") {
    service.set_rate_limited(false);
  } else if (option == "--delay-ms") {
    service.set_delay(std::chrono::milliseconds(std::stoi(std::string(value))));
  } else if (option == "--get" && value == "disabled") {
    service.set_get(FakePodResources::GetMode::kDisabled);
  } else if (option == "--get" && value == "unimplemented") {
    service.set_get(FakePodResources::GetMode::kUnimplemented);
  } else if (option != "--get" || value != "served") {
    return Error::make(Code::kInvalidInput, "option " + std::string(option));
  }
  return {};
}

Result<void> serve(const std::vector<std::string>& arguments) {
  if (arguments.size() < 2) {
    return Error::make(Code::kInvalidInput, "usage: fake-kubelet SOCKET PODS.json [options]");
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGHUP);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // before gRPC makes threads

  ROCELANE_ASSIGN_OR_RETURN(const auto service, FakePodResources::start(arguments[0]));
  ROCELANE_RETURN_IF_ERROR(load(*service, arguments[1]));
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    const bool flag = arguments[i] == "--no-rate-limit" || i + 1 == arguments.size();
    ROCELANE_RETURN_IF_ERROR(
        apply_option(*service, arguments[i], flag ? std::string() : arguments[i + 1]));
    i += flag ? 0 : 1;
  }
  std::puts("ready");
  (void)std::fflush(stdout);
  int signal = 0;
  while (sigwait(&signals, &signal) == 0 && signal == SIGHUP) {
    ROCELANE_RETURN_IF_ERROR(load(*service, arguments[1]));
    std::puts("reloaded");
    (void)std::fflush(stdout);
  }
  const auto calls = service->calls();
  std::printf("list=%d get=%d refused=%d\n", calls.list, calls.get, calls.refused);
  return {};
}

}  // namespace
}  // namespace rocelane::test

int main(int argc, char** argv) {
  const auto served = rocelane::test::serve({argv + 1, argv + argc});
  if (!served.ok()) {
    (void)std::fprintf(stderr, "fake-kubelet: %s\n", served.error().message.c_str());
    return 1;
  }
  return 0;
}
