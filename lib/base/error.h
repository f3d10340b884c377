// SPDX-License-Identifier: Apache-2.0
// Error: why an operation did not succeed. A value, copied and moved freely; no thread or netns
// bound.
#pragma once

#include <string>
#include <string_view>

namespace rocelane {

// What a caller may want to decide on. Everything else is for the reader of the message.
enum class Code {
  kNotFound,       // the named thing does not exist (ENOENT, ENODEV, ESRCH)
  kAlreadyExists,  // EEXIST
  kInvalidInput,   // the user's or the peer's input is wrong; the message names the place
  kUnsupported,    // kernel, driver or peer cannot do it (EOPNOTSUPP, ENOSYS)
  kBusy,           // in use now, may work later (EBUSY, EAGAIN, a held lock)
  kTimeout,        // the deadline passed
  kPermission,     // EPERM, EACCES
  kIo,             // reading or writing files and sockets
  kKernel,         // any other errno a kernel interface gave
};

std::string_view to_string(Code code);

struct Error {
  Code code = Code::kKernel;
  int sys_errno = 0;  // 0: no errno behind it
  std::string message;

  // The error of a failed system call or netlink answer: "what: strerror(number)".
  static Error from_errno(int number, std::string_view what);
  static Error make(Code code, std::string message);

  // The same error seen from one layer up: "context: message". Once per layer.
  [[nodiscard]] Error with_context(std::string_view context) const;

  bool operator==(const Error&) const = default;
};

// How an errno maps to a Code; unknown numbers are kKernel.
Code code_from_errno(int number);

}  // namespace rocelane
