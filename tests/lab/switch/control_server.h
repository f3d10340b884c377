// SPDX-License-Identifier: Apache-2.0
// ControlServer: the unix stream socket `control`: lines in, one line out for each. Knows nothing
// about what they say. One thread; never blocks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "tests/lab/switch/socket_file.h"

namespace rocelane::lab {

class ControlServer {
 public:
  // A line (without its end) to an answer (without its end).
  using Handler = std::function<std::string(std::string_view)>;

  static constexpr std::size_t kMaxLineBytes = std::size_t{64} * 1024;
  // A client that asks without reading the answers is dropped behind this.
  static constexpr std::size_t kMaxUnreadBytes = std::size_t{16} * 1024 * 1024;

  // Binds `control` in the working directory.
  static Result<ControlServer> open(Handler handler);

  // Readable when serve() has something to do.
  [[nodiscard]] int fd() const { return poll_.get(); }
  void serve();

 private:
  struct Client {
    UniqueFd socket;
    std::string input;   // after its last complete line
    std::string output;  // not sent yet
    bool ended = false;  // sends no more
  };

  ControlServer(SocketFile listener, UniqueFd poll, Handler handler);
  void accept_clients();
  // False: the client is done with.
  bool serve_client(Client& client);
  static bool read_input(Client& client);
  bool answer_lines(Client& client);
  static bool write_output(Client& client);
  bool update_interest(const Client& client);

  SocketFile listener_;
  UniqueFd poll_;
  Handler handler_;
  std::unordered_map<int, Client> clients_;  // by file descriptor
};

}  // namespace rocelane::lab
