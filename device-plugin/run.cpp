// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/run.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "device-plugin/event_loop.h"
#include "device-plugin/plugin.h"
#include "lib/base/log.h"
#include "lib/base/unique_fd.h"
#include "lib/base/version.h"

namespace rocelane::plugin {

namespace {

Result<UniqueFd> open_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGHUP, SIGINT, SIGTERM}) {
    sigaddset(&signals, signal);
  }
  if (const int problem = pthread_sigmask(SIG_BLOCK, &signals, nullptr); problem != 0) {
    return Error::from_errno(problem, "blocking signals");
  }
  UniqueFd fd(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!fd.valid()) {
    return Error::from_errno(errno, "signalfd");
  }
  return fd;
}

void read_signals(int fd, EventLoop& loop, Plugin& plugin) {
  signalfd_siginfo signal{};
  while (::read(fd, &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGHUP) {
      plugin.refresh();
    } else {
      log::info("stopping", {{"signal", std::to_string(signal.ssi_signo)}});
      loop.stop();
    }
  }
}

}  // namespace

Result<void> run(const Options& options) {
  ROCELANE_ASSIGN_OR_RETURN(const auto signals, open_signals());
  log::info("starting", {{"version", std::string(version())}, {"config", options.config}});
  EventLoop loop;
  Plugin plugin(loop, options);
  const FdWatch signal_watch(loop, signals.get(),
                             [&] { read_signals(signals.get(), loop, plugin); });
  ROCELANE_RETURN_IF_ERROR(plugin.start());
  loop.run();
  return {};
}

}  // namespace rocelane::plugin
