// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/port.h"

#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

namespace rocelane::lab {

namespace {

// The VM went away, or was replaced by another that bound the same name.
bool lost_peer(int number) { return number == ECONNREFUSED || number == ENOTCONN; }

}  // namespace

std::string_view to_string(DropReason reason) {
  constexpr std::array<std::string_view, kDropReasons> kNames{"cut",       "fault",    "delay_full",
                                                              "malformed", "oversize", "same_port",
                                                              "absent",    "full",     "error"};
  return kNames.at(std::size_t(reason));
}

Port::Port(UnixAddress vm, SocketFile from_vm, UniqueFd to_vm)
    : vm_(vm), from_vm_(std::move(from_vm)), to_vm_(std::move(to_vm)) {}

Result<Port> Port::open(PortIndex index) {
  const auto number = std::to_string(index.value);
  ROCELANE_ASSIGN_OR_RETURN(const auto vm, UnixAddress::parse("vm" + number));
  ROCELANE_ASSIGN_OR_RETURN(auto from_vm, SocketFile::bind("sw" + number, SOCK_DGRAM));
  UniqueFd to_vm(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!to_vm.valid()) {
    return Error::from_errno(errno, "socket");
  }
  return Port(vm, std::move(from_vm), std::move(to_vm));
}

std::optional<std::span<std::uint8_t>> Port::receive(std::span<std::uint8_t> buffer) {
  // MSG_TRUNC: the real length, also of a frame that is longer than the buffer (recv(2)).
  const ssize_t got = ::recv(receive_fd(), buffer.data(), kMaxFrameBytes, MSG_TRUNC);
  if (got < 0) {
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(got);
  ++received_.frames;
  received_.bytes += length;
  if (length == 0 || length > kMaxFrameBytes) {
    drop(Direction::kIn, length == 0 ? DropReason::kMalformed : DropReason::kOversize);
    return buffer.first(0);
  }
  record(Direction::kIn, buffer.first(length));
  return buffer.first(length);
}

Port::Outcome Port::ensure_connected() {
  if (!connected_ && ::connect(to_vm_.get(), vm_.get(), UnixAddress::kBytes) != 0) {
    return errno == ENOENT || errno == ECONNREFUSED ? Outcome::kAbsent : Outcome::kError;
  }
  connected_ = true;
  return Outcome::kSent;
}

Port::Outcome Port::try_send(std::span<const std::uint8_t> frame) {
  constexpr int kAttempts = 2;  // the second after connecting to a VM that was replaced
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (const auto outcome = ensure_connected(); outcome != Outcome::kSent) {
      return outcome;
    }
    if (::send(to_vm_.get(), frame.data(), frame.size(), MSG_NOSIGNAL) >= 0) {
      ++sent_.frames;
      sent_.bytes += frame.size();
      record(Direction::kOut, frame);
      return Outcome::kSent;
    }
    if (errno == EAGAIN) {
      return Outcome::kBehind;
    }
    if (!lost_peer(errno)) {
      return Outcome::kError;
    }
    connected_ = false;
  }
  return Outcome::kAbsent;
}

void Port::send(std::span<const std::uint8_t> frame) {
  const auto outcome = queue_.empty() ? try_send(frame) : Outcome::kBehind;
  switch (outcome) {
    case Outcome::kSent:
      return;
    case Outcome::kBehind:
      if (!queue_.push(frame)) {
        drop(Direction::kOut, DropReason::kFull);
      }
      return;
    case Outcome::kAbsent:
      return drop(Direction::kOut, DropReason::kAbsent);
    case Outcome::kError:
      return drop(Direction::kOut, DropReason::kError);
  }
}

void Port::flush() {
  while (!queue_.empty()) {
    switch (try_send(queue_.front())) {
      case Outcome::kSent:
        queue_.pop();
        break;
      case Outcome::kBehind:
        return;
      case Outcome::kAbsent:
        return lose_queue(DropReason::kAbsent);
      case Outcome::kError:
        queue_.pop();
        drop(Direction::kOut, DropReason::kError);
        break;
    }
  }
}

void Port::lose_queue(DropReason reason) {
  for (; !queue_.empty(); queue_.pop()) {
    drop(Direction::kOut, reason);
  }
}

void Port::set_cut(Directions cut) {
  cut_ = cut;
  if (cut_.out) {
    lose_queue(DropReason::kCut);
  }
}

std::uint64_t Port::dropped(Direction direction, DropReason reason) const {
  return drops_.at(std::size_t(direction)).at(std::size_t(reason));
}

void Port::record(Direction direction, std::span<const std::uint8_t> frame) {
  if (capture_ && capture_->directions.contains(direction)) {
    capture_->file.write(frame, std::chrono::system_clock::now());
  }
}

}  // namespace rocelane::lab
