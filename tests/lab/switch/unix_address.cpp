// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/unix_address.h"

#include <algorithm>
#include <iterator>

namespace rocelane::lab {

Result<UnixAddress> UnixAddress::parse(const std::string& path) {
  UnixAddress address;
  if (path.size() >= sizeof(address.value_.sun_path)) {
    return Error::make(Code::kInvalidInput, "socket path " + path + " is too long");
  }
  std::copy(path.begin(), path.end(), std::begin(address.value_.sun_path));
  return address;
}

const sockaddr* UnixAddress::get() const {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket calls' own idiom
  return reinterpret_cast<const sockaddr*>(&value_);
}

}  // namespace rocelane::lab
