// SPDX-License-Identifier: Apache-2.0
#include "lib/base/error.h"

#include <cerrno>
#include <system_error>

namespace rocelane {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kNotFound:
      return "not_found";
    case Code::kAlreadyExists:
      return "already_exists";
    case Code::kInvalidInput:
      return "invalid_input";
    case Code::kUnsupported:
      return "unsupported";
    case Code::kBusy:
      return "busy";
    case Code::kTimeout:
      return "timeout";
    case Code::kPermission:
      return "permission";
    case Code::kIo:
      return "io";
    case Code::kKernel:
      return "kernel";
  }
  return "unknown";
}

Code code_from_errno(int number) {
  switch (number) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ESRCH:
      return Code::kNotFound;
    case EEXIST:
      return Code::kAlreadyExists;
    case EOPNOTSUPP:
    case ENOSYS:
    case ENOPROTOOPT:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
      return Code::kUnsupported;
    case EBUSY:
    case EAGAIN:
    case ETXTBSY:
      return Code::kBusy;
    case ETIMEDOUT:
      return Code::kTimeout;
    case EPERM:
    case EACCES:
    case EROFS:
      return Code::kPermission;
    case EIO:
    case ENOSPC:
    case EDQUOT:
    case EPIPE:
    case ECONNREFUSED:
    case ECONNRESET:
      return Code::kIo;
    default:
      return Code::kKernel;
  }
}

Error Error::from_errno(int number, std::string_view what) {
  return Error{.code = code_from_errno(number),
               .sys_errno = number,
               .message = std::string(what) + ": " + std::generic_category().message(number)};
}

Error Error::make(Code code, std::string message) {
  return Error{.code = code, .sys_errno = 0, .message = std::move(message)};
}

Error Error::with_context(std::string_view context) const {
  Error outer = *this;
  outer.message = std::string(context) + ": " + message;
  return outer;
}

}  // namespace rocelane
