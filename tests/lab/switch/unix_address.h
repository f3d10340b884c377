// SPDX-License-Identifier: Apache-2.0
// UnixAddress: the path of a unix socket in the form the socket calls take.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "lib/base/result.h"

namespace rocelane::lab {

class UnixAddress {
 public:
  // kInvalidInput when the path is longer than unix(7) allows (107 bytes).
  static Result<UnixAddress> parse(const std::string& path);

  [[nodiscard]] const sockaddr* get() const;
  static constexpr socklen_t kBytes = sizeof(sockaddr_un);

 private:
  UnixAddress() = default;

  sockaddr_un value_{.sun_family = AF_UNIX, .sun_path = {}};
};

}  // namespace rocelane::lab
