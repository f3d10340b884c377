// SPDX-License-Identifier: Apache-2.0
#include "tests/process/lab-switch/fake_vm.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "lib/base/result.h"

namespace rocelane::test {

namespace {

constexpr std::size_t kLongestDatagram = 65'536;

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ROCELANE_CHECK(path.size() < sizeof(address.sun_path));
  std::copy(path.begin(), path.end(), std::begin(address.sun_path));
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

}  // namespace

FakeVm::FakeVm(const std::string& directory, int port)
    : switch_path_(directory + "/sw" + std::to_string(port)),
      socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  const auto path = directory + "/vm" + std::to_string(port);
  const auto address = address_of(path);
  ::unlink(path.c_str());
  ROCELANE_CHECK(::bind(socket_.get(), generic(address), sizeof(address)) == 0);
}

bool FakeVm::send(const std::vector<std::uint8_t>& frame) const {
  const auto address = address_of(switch_path_);
  const ssize_t sent =
      ::sendto(socket_.get(), frame.data(), frame.size(), 0, generic(address), sizeof(address));
  return sent == static_cast<ssize_t>(frame.size());
}

std::optional<std::vector<std::uint8_t>> FakeVm::receive() const {
  pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
  const auto patience = std::chrono::milliseconds(kPatience).count();
  if (::poll(&ready, 1, static_cast<int>(patience)) != 1) {
    return std::nullopt;
  }
  return receive_now();
}

std::optional<std::vector<std::uint8_t>> FakeVm::receive_now() const {
  std::vector<std::uint8_t> frame(kLongestDatagram);
  const ssize_t got = ::recv(socket_.get(), frame.data(), frame.size(), MSG_DONTWAIT);
  if (got < 0) {
    return std::nullopt;
  }
  frame.resize(static_cast<std::size_t>(got));
  return frame;
}

}  // namespace rocelane::test
