// SPDX-License-Identifier: Apache-2.0
// Sysfs: reads and writes below one root directory, relative to an open descriptor.
//
// The root is /sys, a test tree, or a sysfs instance of another network namespace: sysfs shows the
// network devices (and, in exclusive RDMA mode, the RDMA devices) of the netns it was mounted in.
// Paths are relative ("class/net/ens1f0/device") and must not start with '/'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::sysfs {

class Sysfs {
 public:
  static Result<Sysfs> open(const std::string& root);
  // A detached sysfs of the calling thread's netns (fsopen(2), fsmount(2); kernel ≥ 5.2): call it
  // in NetNs::run_in(). It has no mount point and vanishes with this object.
  static Result<Sysfs> open_detached();

  // Content without the trailing newline. kNotFound when absent.
  [[nodiscard]] Result<std::string> read(const std::string& path) const;
  // Absent file: nullopt, as is one the driver refuses to read with EINVAL/EOPNOTSUPP.
  [[nodiscard]] Result<std::optional<std::string>> find(const std::string& path) const;
  // Decimal or 0x-hexadecimal; anything else kInvalidInput.
  [[nodiscard]] Result<std::int64_t> read_number(const std::string& path) const;
  // The value in one write(2), as sysfs wants it. The error carries the driver's errno.
  [[nodiscard]] Result<void> write(const std::string& path, const std::string& value) const;
  // Names in a directory, sorted, without . and ..; absent directory: empty.
  [[nodiscard]] Result<std::vector<std::string>> list(const std::string& path) const;
  // Last component of a symbolic link's target ("0000:3b:00.0"); absent: nullopt.
  [[nodiscard]] Result<std::optional<std::string>> link_name(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;

 private:
  explicit Sysfs(UniqueFd root);
  UniqueFd root_;
};

}  // namespace rocelane::sysfs
