// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/control_server.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace rocelane::lab {

namespace {

constexpr std::size_t kEvents = 16;
constexpr std::size_t kChunk = 4096;
constexpr int kBacklog = 16;

bool would_block(int number) { return number == EAGAIN || number == EINTR; }

bool watch(int poll, int operation, int fd, std::uint32_t events) {
  epoll_event event{.events = events, .data = {.fd = fd}};
  return ::epoll_ctl(poll, operation, fd, &event) == 0;
}

}  // namespace

ControlServer::ControlServer(SocketFile listener, UniqueFd poll, Handler handler)
    : listener_(std::move(listener)), poll_(std::move(poll)), handler_(std::move(handler)) {}

Result<ControlServer> ControlServer::open(Handler handler) {
  ROCELANE_ASSIGN_OR_RETURN(auto listener, SocketFile::bind("control", SOCK_STREAM));
  UniqueFd poll(::epoll_create1(EPOLL_CLOEXEC));
  if (!poll.valid() || ::listen(listener.fd(), kBacklog) != 0 ||
      !watch(poll.get(), EPOLL_CTL_ADD, listener.fd(), EPOLLIN)) {
    return Error::from_errno(errno, "listening on control");
  }
  return ControlServer(std::move(listener), std::move(poll), std::move(handler));
}

void ControlServer::serve() {
  std::array<epoll_event, kEvents> events{};
  const int got = ::epoll_wait(poll_.get(), events.data(), kEvents, 0);
  for (int i = 0; i < got; ++i) {
    const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
    if (fd == listener_.fd()) {
      accept_clients();
    } else if (const auto found = clients_.find(fd); found != clients_.end()) {
      if (!serve_client(found->second)) {
        clients_.erase(found);
      }
    }
  }
}

void ControlServer::accept_clients() {
  while (true) {
    UniqueFd socket(::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      return;
    }
    const int fd = socket.get();
    if (watch(poll_.get(), EPOLL_CTL_ADD, fd, EPOLLIN)) {
      clients_.emplace(fd, Client{.socket = std::move(socket), .input = {}, .output = {}});
    }
  }
}

bool ControlServer::serve_client(Client& client) {
  return read_input(client) && answer_lines(client) && write_output(client) &&
         update_interest(client);
}

bool ControlServer::read_input(Client& client) {
  std::array<char, kChunk> chunk{};
  while (!client.ended && client.input.size() <= kMaxLineBytes) {
    const ssize_t got = ::recv(client.socket.get(), chunk.data(), chunk.size(), 0);
    if (got < 0) {
      return would_block(errno);
    }
    client.ended = got == 0;
    client.input.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return true;
}

bool ControlServer::answer_lines(Client& client) {
  if (client.ended && !client.input.empty() && client.input.back() != '\n') {
    client.input += '\n';  // the last line of a client that has closed its side is complete
  }
  std::size_t begin = 0;
  for (auto end = client.input.find('\n'); end != std::string::npos;
       end = client.input.find('\n', begin)) {
    const std::string_view line = std::string_view(client.input).substr(begin, end - begin);
    if (!line.empty()) {
      client.output += handler_(line) + '\n';
    }
    begin = end + 1;
  }
  client.input.erase(0, begin);
  return client.input.size() <= kMaxLineBytes && client.output.size() <= kMaxUnreadBytes;
}

bool ControlServer::write_output(Client& client) {
  while (!client.output.empty()) {
    const ssize_t sent =
        ::send(client.socket.get(), client.output.data(), client.output.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return would_block(errno);
    }
    client.output.erase(0, static_cast<std::size_t>(sent));
  }
  return !client.ended;
}

bool ControlServer::update_interest(const Client& client) {
  const std::uint32_t input = client.ended ? 0U : static_cast<std::uint32_t>(EPOLLIN);
  const std::uint32_t output = client.output.empty() ? 0U : static_cast<std::uint32_t>(EPOLLOUT);
  return watch(poll_.get(), EPOLL_CTL_MOD, client.socket.get(), input | output);
}

}  // namespace rocelane::lab
