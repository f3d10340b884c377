// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/channel.h"

#include <fmt/format.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/support/channel_arguments.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rocelane::kubelet {

namespace {

// A node's List grows with its pods and CPUs; kubelet's own Go client allows the same.
constexpr int kMaxMessageBytes = 16 * 1024 * 1024;

// Enough for every plugin and CNI call of a node at once.
constexpr int kBacklog = 128;

Result<sockaddr_un> socket_address(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("socket path \"{}\" has {} bytes, want 1 to {}", path,
                                   path.size(), sizeof address.sun_path - 1));
  }
  address.sun_family = AF_UNIX;
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.size() + 1);
  return address;
}

Error connect_error(int number, const std::string& path) {
  auto error = Error::from_errno(number, "connecting to " + path);
  // A socket file without a listener (ECONNREFUSED) or with a full backlog (EAGAIN): its owner
  // restarts or is overrun.
  if (number == ECONNREFUSED || number == EAGAIN) {
    error.code = Code::kBusy;
  }
  return error;
}

const char* status_name(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::CANCELLED:
      return "CANCELLED";
    case grpc::StatusCode::UNKNOWN:
      return "UNKNOWN";
    case grpc::StatusCode::INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case grpc::StatusCode::NOT_FOUND:
      return "NOT_FOUND";
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case grpc::StatusCode::UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case grpc::StatusCode::INTERNAL:
      return "INTERNAL";
    case grpc::StatusCode::UNAVAILABLE:
      return "UNAVAILABLE";
    default:
      return "other status";
  }
}

Code code_from_status(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      // gRPC uses the same code for an answer that does not fit: asking again is no help.
      return status.error_message().find("larger than max") == std::string::npos ? Code::kBusy
                                                                                 : Code::kIo;
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return Code::kBusy;
    case grpc::StatusCode::NOT_FOUND:
      return Code::kNotFound;
    case grpc::StatusCode::UNIMPLEMENTED:
      return Code::kUnsupported;
    case grpc::StatusCode::INVALID_ARGUMENT:
      return Code::kInvalidInput;
    default:
      return Code::kIo;
  }
}

}  // namespace

Result<std::shared_ptr<grpc::Channel>> connect_channel(const std::string& path) {
  ROCELANE_ASSIGN_OR_RETURN(const auto address, socket_address(path));
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return Error::from_errno(errno, "opening a unix socket");
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return connect_error(errno, path);
  }
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  // The default authority is the target's path, which Go's HTTP/2 server refuses.
  arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  return grpc::CreateCustomInsecureChannelFromFd("localhost", fd.release(), arguments);
}

Result<UniqueFd> listen_unix(const std::string& path) {
  ROCELANE_ASSIGN_OR_RETURN(const auto address, socket_address(path));
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return Error::from_errno(errno, "opening a unix socket");
  }
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Error::from_errno(errno, "removing the old " + path);
  }
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return Error::from_errno(errno, "binding " + path);
  }
  if (::listen(fd.get(), kBacklog) != 0) {
    return Error::from_errno(errno, "listening on " + path);
  }
  return fd;
}

Error error_from_status(const grpc::Status& status, std::string_view what) {
  return Error::make(
      code_from_status(status),
      fmt::format("{}: {} ({})", what, status.error_message(), status_name(status.error_code())));
}

}  // namespace rocelane::kubelet
