// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/socket_file.h"

#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "tests/lab/switch/unix_address.h"

namespace rocelane::lab {

namespace {

Result<void> remove_stale(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    return errno == ENOENT ? Result<void>() : Error::from_errno(errno, "looking at " + path);
  }
  if (!S_ISSOCK(status.st_mode)) {
    return Error::make(Code::kAlreadyExists, path + " exists and is not a socket");
  }
  if (::unlink(path.c_str()) != 0) {
    return Error::from_errno(errno, "removing the stale socket " + path);
  }
  return {};
}

}  // namespace

SocketFile::SocketFile(UniqueFd socket, std::string path)
    : socket_(std::move(socket)), path_(std::move(path)) {}

SocketFile::~SocketFile() {
  if (socket_.valid()) {
    ::unlink(path_.c_str());
  }
}

Result<SocketFile> SocketFile::bind(const std::string& path, int type) {
  ROCELANE_ASSIGN_OR_RETURN(const auto address, UnixAddress::parse(path));
  ROCELANE_RETURN_IF_ERROR(remove_stale(path));
  UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) {
    return Error::from_errno(errno, "socket");
  }
  if (::bind(fd.get(), address.get(), UnixAddress::kBytes) != 0) {
    return Error::from_errno(errno, "binding " + path);
  }
  return SocketFile(std::move(fd), path);
}

}  // namespace rocelane::lab
