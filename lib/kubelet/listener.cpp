// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/listener.h"

#include <fcntl.h>
#include <grpcpp/server_posix.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "lib/base/log.h"
#include "lib/kubelet/channel.h"

namespace rocelane::kubelet {

namespace {

// Out of descriptors or memory: the connection stays queued and poll(2) would return at once.
constexpr int kAcceptPauseMs = 100;

}  // namespace

Result<std::unique_ptr<Listener>> Listener::start(std::string path, grpc::Server& server) {
  ROCELANE_ASSIGN_OR_RETURN(auto socket, listen_unix(path));
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return Error::from_errno(errno, "looking at " + path);
  }
  UniqueFd stop(::eventfd(0, EFD_CLOEXEC));
  if (!stop.valid()) {
    return Error::from_errno(errno, "eventfd");
  }
  return std::unique_ptr<Listener>(new Listener(std::move(path), std::move(socket), std::move(stop),
                                                {.device = status.st_dev, .inode = status.st_ino},
                                                server));
}

Listener::Listener(std::string path, UniqueFd socket, UniqueFd stop, Identity identity,
                   grpc::Server& server)
    : path_(std::move(path)),
      socket_(std::move(socket)),
      stop_(std::move(stop)),
      identity_(identity),
      server_(server),
      thread_([this] { accept_until_stopped(); }) {}

Listener::~Listener() {
  const std::uint64_t one = 1;
  ROCELANE_CHECK(::write(stop_.get(), &one, sizeof one) == sizeof one);
  thread_.join();
  if (file() == File::kOurs) {
    ::unlink(path_.c_str());
  }
}

Listener::File Listener::file() const {
  struct stat status {};
  if (::lstat(path_.c_str(), &status) != 0) {
    return File::kGone;
  }
  return status.st_dev == identity_.device && status.st_ino == identity_.inode ? File::kOurs
                                                                               : File::kForeign;
}

void Listener::accept_until_stopped() const {
  int timeout = -1;
  bool accepting = true;
  while (true) {
    std::array<pollfd, 2> fds{{{.fd = stop_.get(), .events = POLLIN, .revents = 0},
                               {.fd = socket_.get(), .events = POLLIN, .revents = 0}}};
    (void)::poll(fds.data(), accepting ? 2 : 1, timeout);
    if (fds[0].revents != 0) {
      return;
    }
    accepting = accept_all();
    timeout = accepting ? -1 : kAcceptPauseMs;
  }
}

// False: there is a connection that cannot be taken now.
bool Listener::accept_all() const {
  while (true) {
    const int fd = ::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
      grpc::AddInsecureChannelFromFd(&server_, fd);
      continue;
    }
    if (errno == EAGAIN) {
      return true;
    }
    if (errno == EINTR || errno == ECONNABORTED) {
      continue;
    }
    log::error("connections cannot be accepted",
               {{"socket", path_}, {"err", Error::from_errno(errno, "accept4").message}});
    return false;
  }
}

}  // namespace rocelane::kubelet
