// SPDX-License-Identifier: Apache-2.0
// Whole-file reads and crash-safe writes. Paths are the caller's; nothing here knows a location.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane {

// No configuration, record or sysfs file of this project is larger; more is kInvalidInput.
inline constexpr std::size_t kMaxFileBytes = std::size_t{8} * 1024 * 1024;

// The whole content. Missing: kNotFound.
Result<std::string> read_file(const std::string& path);

enum class Durability {
  kRename,  // readers see the old or the new content, never a part; a power cut may lose it
  kDisk,    // also fsync of the file and of its directory before returning (rename(2), fsync(2))
};

// Replaces `path` through a temporary file in the same directory (its name starts with '.' and has
// no .json suffix, so that directory watchers that filter by suffix do not see it). On error
// nothing at `path` changed and the temporary file is gone.
Result<void> write_file_atomic(const std::string& path, std::string_view content,
                               Durability durability, mode_t mode = 0644);

// Removes the file; already gone is success. kDisk also syncs the directory.
Result<void> remove_file(const std::string& path, Durability durability = Durability::kRename);

// mkdir -p; existing directories keep their mode.
Result<void> make_directories(const std::string& path, mode_t mode = 0755);

}  // namespace rocelane
