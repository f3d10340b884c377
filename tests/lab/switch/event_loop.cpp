// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/event_loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

namespace rocelane::lab {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t kEvents = 64;
constexpr std::chrono::seconds kAgeingInterval{30};

enum class Source : std::uint32_t { kSignals, kControl, kReceive, kSend };

constexpr std::uint64_t token_of(Source source, std::uint16_t port = 0) {
  return static_cast<std::uint64_t>(source) << 32U | port;
}
Source source_of(const epoll_event& event) { return static_cast<Source>(event.data.u64 >> 32U); }
PortIndex port_of(const epoll_event& event) {
  return PortIndex{static_cast<std::uint16_t>(event.data.u64)};
}

// What epoll_wait(2) takes: rounded up, so that a frame is never released early; -1 is for ever.
int wait_for(std::optional<Switch::TimePoint> due) {
  if (!due) {
    return -1;
  }
  const auto left =
      std::chrono::ceil<milliseconds>(*due - std::chrono::steady_clock::now()).count();
  return static_cast<int>(
      std::clamp<std::int64_t>(left, 0, std::numeric_limits<std::int32_t>::max()));
}

}  // namespace

EventLoop::EventLoop(UniqueFd poll, Switch& fabric, ControlServer& control)
    : poll_(std::move(poll)),
      fabric_(fabric),
      control_(control),
      sending_(fabric.port_count(), false),
      next_ageing_(std::chrono::steady_clock::now() + kAgeingInterval) {}

Result<EventLoop> EventLoop::create(Switch& fabric, ControlServer& control,
                                    const StopSignals& signals) {
  UniqueFd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll.valid()) {
    return Error::from_errno(errno, "epoll_create1");
  }
  EventLoop loop(std::move(poll), fabric, control);
  ROCELANE_RETURN_IF_ERROR(loop.watch_all(signals));
  return loop;
}

Result<void> EventLoop::watch(int fd, std::uint32_t events, std::uint64_t token) {
  epoll_event event{.events = events, .data = {.u64 = token}};
  if (::epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &event) != 0) {
    return Error::from_errno(errno, "epoll_ctl");
  }
  return {};
}

Result<void> EventLoop::watch_all(const StopSignals& signals) {
  ROCELANE_RETURN_IF_ERROR(watch(signals.fd(), EPOLLIN, token_of(Source::kSignals)));
  ROCELANE_RETURN_IF_ERROR(watch(control_.fd(), EPOLLIN, token_of(Source::kControl)));
  for (PortIndex i; i.value < fabric_.port_count(); ++i.value) {
    ROCELANE_RETURN_IF_ERROR(
        watch(fabric_.port(i).receive_fd(), EPOLLIN, token_of(Source::kReceive, i.value)));
  }
  return {};
}

Result<void> EventLoop::update_send_interest() {
  for (PortIndex i; i.value < fabric_.port_count(); ++i.value) {
    const auto& port = fabric_.port(i);
    if (port.wants_to_send() == sending_[i.value]) {
      continue;
    }
    if (port.wants_to_send()) {
      ROCELANE_RETURN_IF_ERROR(watch(port.send_fd(), EPOLLOUT, token_of(Source::kSend, i.value)));
    } else if (::epoll_ctl(poll_.get(), EPOLL_CTL_DEL, port.send_fd(), nullptr) != 0) {
      return Error::from_errno(errno, "epoll_ctl");
    }
    sending_[i.value] = port.wants_to_send();
  }
  return {};
}

bool EventLoop::handle(const epoll_event& event, Switch::TimePoint now) {
  switch (source_of(event)) {
    case Source::kSignals:
      return false;
    case Source::kControl:
      control_.serve();
      break;
    case Source::kReceive:
      fabric_.receive(port_of(event), now);
      break;
    case Source::kSend:
      fabric_.port(port_of(event)).flush();
      break;
  }
  return true;
}

Result<void> EventLoop::run() {
  std::array<epoll_event, kEvents> events{};
  for (bool running = true; running;) {
    ROCELANE_RETURN_IF_ERROR(update_send_interest());
    const int got = ::epoll_wait(poll_.get(), events.data(), kEvents, wait_for(fabric_.next_due()));
    if (got < 0 && errno != EINTR) {
      return Error::from_errno(errno, "epoll_wait");
    }
    const auto now = std::chrono::steady_clock::now();
    fabric_.release_due(now);
    for (int i = 0; i < got; ++i) {
      running = handle(events.at(static_cast<std::size_t>(i)), now) && running;
    }
    if (now >= next_ageing_) {
      fabric_.remove_aged(now);
      next_ageing_ = now + kAgeingInterval;
    }
  }
  return {};
}

}  // namespace rocelane::lab
