// SPDX-License-Identifier: Apache-2.0
// rocelane-lab-switch: the Ethernet switch between the lab's virtual machines.
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include "lib/base/log.h"
#include "lib/base/result.h"
#include "lib/base/version.h"
#include "tests/lab/switch/control.h"
#include "tests/lab/switch/control_server.h"
#include "tests/lab/switch/directory_lock.h"
#include "tests/lab/switch/event_loop.h"
#include "tests/lab/switch/stop_signals.h"
#include "tests/lab/switch/switch.h"

namespace {

namespace lab = rocelane::lab;

rocelane::Result<void> run(const std::string& directory, std::uint16_t ports) {
  ROCELANE_ASSIGN_OR_RETURN(const auto signals, lab::StopSignals::block());
  ROCELANE_ASSIGN_OR_RETURN(const auto lock, lab::DirectoryLock::enter(directory));
  ROCELANE_ASSIGN_OR_RETURN(auto fabric, lab::Switch::open(ports));
  const auto handler = [&fabric](std::string_view line) { return lab::answer(fabric, line); };
  ROCELANE_ASSIGN_OR_RETURN(auto control, lab::ControlServer::open(handler));
  ROCELANE_ASSIGN_OR_RETURN(auto loop, lab::EventLoop::create(fabric, control, signals));
  if (std::puts("ready") < 0 || std::fflush(stdout) != 0) {
    return rocelane::Error::from_errno(errno, "writing to stdout");
  }
  return loop.run();
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("Learning Ethernet switch between the network cards of lab VMs");
  app.set_version_flag("--version", std::string(rocelane::version()));
  std::string directory;
  std::uint16_t ports = 0;
  app.add_option("--dir", directory, "Directory of the sockets sw<i>, vm<i> and control")
      ->required();
  app.add_option("--ports", ports, "How many")
      ->required()
      ->check(CLI::Range(1, int{lab::Switch::kMaxPorts}));
  CLI11_PARSE(app, argc, argv);
  if (const auto done = run(directory, ports); !done.ok()) {
    rocelane::log::error("the switch ends", {{"err", done.error().message}});
    return 1;
  }
  return 0;
} catch (const std::exception& failure) {
  (void)std::fprintf(stderr, "rocelane-lab-switch: %s\n", failure.what());
  return 1;
}
