// SPDX-License-Identifier: Apache-2.0
// Listener: a unix socket file whose connections go to a gRPC server. Private to lib/kubelet and
// its tests. Kubelet may wipe the directory at any moment; the server then keeps its open
// connections and gets a new Listener.
#pragma once

#include <grpcpp/server.h>
#include <sys/types.h>

#include <memory>
#include <string>
#include <thread>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::kubelet {

class Listener {
 public:
  // Binds `path` (an old file there is replaced) and accepts on a thread of its own. `server` must
  // outlive the object.
  static Result<std::unique_ptr<Listener>> start(std::string path, grpc::Server& server);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  Listener(Listener&&) = delete;
  Listener& operator=(Listener&&) = delete;
  // Stops accepting; removes the file if it is still ours.
  ~Listener();

  enum class File { kOurs, kGone, kForeign };
  // What lies at the path now; kForeign: another process has bound it since.
  [[nodiscard]] File file() const;

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
  };
  Listener(std::string path, UniqueFd socket, UniqueFd stop, Identity identity,
           grpc::Server& server);
  void accept_until_stopped() const;
  [[nodiscard]] bool accept_all() const;

  std::string path_;
  UniqueFd socket_;
  UniqueFd stop_;
  Identity identity_;
  grpc::Server& server_;
  std::thread thread_;
};

}  // namespace rocelane::kubelet
