// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/stop_signals.h"

#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace rocelane::lab {

StopSignals::StopSignals(UniqueFd signals) : signals_(std::move(signals)) {}

Result<StopSignals> StopSignals::block() {
  sigset_t stop;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGTERM);
  ::sigaddset(&stop, SIGINT);
  if (const int number = ::pthread_sigmask(SIG_BLOCK, &stop, nullptr); number != 0) {
    return Error::from_errno(number, "pthread_sigmask");
  }
  UniqueFd signals(::signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals.valid()) {
    return Error::from_errno(errno, "signalfd");
  }
  return StopSignals(std::move(signals));
}

}  // namespace rocelane::lab
