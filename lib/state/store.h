// SPDX-License-Identifier: Apache-2.0
// Store: the state directory: records and device locks. Survives a kill or a power cut at any
// moment: every write is temp + fsync + rename + directory fsync. Safe across processes; each
// object is used from one thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "lib/state/record.h"

namespace rocelane::state {

// Exclusive flock(2) on <stateDir>/locks/<name>.lock, released with the object or the process. Lock
// files are never removed (removing one while another process waits for it would make two owners).
class DeviceLock {
 public:
  DeviceLock(DeviceLock&&) = default;
  DeviceLock& operator=(DeviceLock&&) = default;
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock() = default;

 private:
  friend class Store;
  explicit DeviceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

// A record file that exists but cannot be understood (truncated by a power cut, other version), or
// whose content is the record of another file.
struct Damaged {
  std::string path;
  std::string container_id;  // from the file name
  std::string if_name;
  std::string problem;
};

struct Listing {
  std::vector<Record> records;
  std::vector<Damaged> damaged;
};

class Store {
 public:
  // Creates the directories when missing.
  static Result<Store> open(const std::string& state_dir);
  // Only reads: missing directories are an empty store.
  static Store read_only(const std::string& state_dir);

  // <stateDir>/attachments/<containerID>-<ifName>.json; other characters than letters, digits, '.',
  // '_' (and '-' in the container ID) are written as %XX.
  [[nodiscard]] std::string record_path(std::string_view container_id,
                                        std::string_view if_name) const;

  // kInvalidInput: it could not be read back (no container ID, bytes that are not UTF-8). On any
  // error the record as it was before is still there.
  [[nodiscard]] Result<void> save(const Record& record) const;
  // Already gone is success. Temporary files of writers that were killed go too.
  [[nodiscard]] Result<void> remove(const Record& record) const;
  [[nodiscard]] Result<Listing> list() const;
  // All attachments of one sandbox.
  [[nodiscard]] Result<Listing> list_container(std::string_view container_id) const;
  // The record that holds a device now, in any phase.
  [[nodiscard]] Result<std::optional<Record>> find_by_device(std::string_view device_id) const;

  // Waits until the lock is free or the time is over (kBusy, naming the holder's pid when known).
  [[nodiscard]] Result<DeviceLock> lock_device(std::string_view device_id,
                                               std::chrono::milliseconds limit) const;

 private:
  explicit Store(std::string state_dir);
  std::string dir_;
};

// /proc/sys/kernel/random/boot_id: tells records of this boot from older ones.
Result<std::string> read_boot_id(const std::string& proc_root = "/proc");

}  // namespace rocelane::state
