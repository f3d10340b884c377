// SPDX-License-Identifier: Apache-2.0
#include "lib/rdma/names.h"

#include <fmt/format.h>

namespace rocelane::rdma {

namespace {

// Not isalnum(3): names must not depend on the locale of the program that derives them.
bool is_letter_or_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

std::string soft_device_name(std::string_view device_id) {
  std::string name = "rxe";
  for (const char c : device_id) {
    if (is_letter_or_digit(c)) {
      name += c;
    }
  }
  return name;
}

std::string cdi_device(std::string_view device_id) {
  return fmt::format("{}={}", kCdiKind, device_id);
}

std::string cdi_spec_file(std::string_view device_id) {
  return fmt::format("rocelane-{}.json", device_id);
}

}  // namespace rocelane::rdma
