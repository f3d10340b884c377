// SPDX-License-Identifier: Apache-2.0
// NetNs: an open handle to a network namespace, and the one way to run code inside it.
//
// No thread that does other work ever calls setns(2): run_in() uses a short-lived thread of its
// own, which ends there whatever happened. A netlink socket opened inside stays in that namespace.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::netns {

// Identity of a namespace: two handles are the same namespace when these are equal (namespaces(7)).
// An inode number may be used again after the namespace is gone.
struct Id {
  dev_t device = 0;
  ino_t inode = 0;

  bool operator==(const Id&) const = default;
};

class NetNs {
 public:
  // An nsfs file: /proc/PID/ns/net, /var/run/netns/NAME. kNotFound: no such path. kInvalidInput:
  // the path is not a network namespace (for example a bind mount that lost it).
  static Result<NetNs> open(const std::string& path);
  static Result<NetNs> current();  // of the calling thread
  // A new namespace with no name: it lives as long as a handle, a process or a device fd refers to
  // it; when the last one goes, the kernel sends physical devices in it back to the initial netns.
  static Result<NetNs> create();

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] Id id() const { return id_; }

  // Runs `work` inside, on a thread of its own, and waits for it. Errors of entering: kPermission,
  // kKernel; `work`'s own error comes back as it is.
  Result<void> run_in(const std::function<Result<void>()>& work) const;

 private:
  NetNs(UniqueFd fd, Id id);

  UniqueFd fd_;
  Id id_;
};

// run_in() for work with a value.
template <typename Work>
auto run_in(const NetNs& ns, Work work) -> decltype(work()) {
  using R = decltype(work());
  std::optional<R> out;
  auto entered = ns.run_in([&]() -> Result<void> {
    out.emplace(work());
    return {};
  });
  if (!entered.ok()) {
    return entered.error();
  }
  return std::move(*out);
}

}  // namespace rocelane::netns
