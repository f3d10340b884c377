// SPDX-License-Identifier: Apache-2.0
// SocketFile: a bound unix socket together with its name in the file system, which goes when the
// owner goes.
#pragma once

#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::lab {

class SocketFile {
 public:
  // type: SOCK_DGRAM or SOCK_STREAM; non-blocking. A socket file that is already there is taken
  // for the remains of a crash and replaced: the caller holds a lock on the directory. Anything
  // else under that name: kAlreadyExists.
  static Result<SocketFile> bind(const std::string& path, int type);

  SocketFile(SocketFile&& other) noexcept = default;
  SocketFile& operator=(SocketFile&& other) = delete;
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile();

  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  SocketFile(UniqueFd socket, std::string path);

  UniqueFd socket_;
  std::string path_;
};

}  // namespace rocelane::lab
