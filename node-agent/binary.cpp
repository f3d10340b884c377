// SPDX-License-Identifier: Apache-2.0
// Streams, because a program may be larger than the files lib/base reads as a whole.
#include "node-agent/binary.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/file.h"
#include "lib/base/scope_guard.h"
#include "lib/base/unique_fd.h"

namespace rocelane::agent {

namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;
constexpr mode_t kProgramMode = 0755;
constexpr mode_t kPermissionBits = 07777;

Result<UniqueFd> open_for_reading(const std::string& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return Error::from_errno(errno, "opening " + path);
  }
  return fd;
}

// As many bytes as the buffer holds, fewer only at the end of the file.
Result<std::size_t> read_chunk(int fd, std::array<char, kChunk>& buffer) {
  std::size_t filled = 0;
  while (filled < buffer.size()) {
    const ssize_t n = ::read(fd, buffer.data() + filled, buffer.size() - filled);
    if (n == 0) {
      break;
    }
    if (n > 0) {
      filled += static_cast<std::size_t>(n);
    } else if (errno != EINTR) {
      return Error::from_errno(errno, "read");
    }
  }
  return filled;
}

Result<void> write_chunk(int fd, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno != EINTR) {
      return Error::from_errno(errno, "write");
    }
    const auto done = static_cast<std::size_t>(std::max<ssize_t>(n, 0));
    data += done;
    size -= done;
  }
  return {};
}

Result<bool> same_content(int left, int right) {
  std::array<char, kChunk> a{};
  std::array<char, kChunk> b{};
  while (true) {
    ROCELANE_ASSIGN_OR_RETURN(const auto left_size, read_chunk(left, a));
    ROCELANE_ASSIGN_OR_RETURN(const auto right_size, read_chunk(right, b));
    if (left_size != right_size || std::memcmp(a.data(), b.data(), left_size) != 0) {
      return false;
    }
    if (left_size == 0) {
      return true;
    }
  }
}

Result<bool> already_installed(const std::string& source, const std::string& target) {
  struct stat status {};
  if (::lstat(target.c_str(), &status) != 0 || !S_ISREG(status.st_mode) ||
      (status.st_mode & kPermissionBits) != kProgramMode) {
    return false;
  }
  ROCELANE_ASSIGN_OR_RETURN(const auto from, open_for_reading(source));
  ROCELANE_ASSIGN_OR_RETURN(const auto to, open_for_reading(target));
  return same_content(from.get(), to.get());
}

Result<void> copy_content(int from, int to) {
  std::array<char, kChunk> buffer{};
  while (true) {
    ROCELANE_ASSIGN_OR_RETURN(const auto size, read_chunk(from, buffer));
    if (size == 0) {
      return {};
    }
    ROCELANE_RETURN_IF_ERROR(write_chunk(to, buffer.data(), size));
  }
}

Result<void> sync_directory(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return Error::from_errno(errno, "syncing directory " + path);
  }
  return {};
}

Result<void> replace(const std::string& source, const std::string& target) {
  const std::filesystem::path path(target);
  const auto directory = path.parent_path().string();
  ROCELANE_ASSIGN_OR_RETURN(const auto from, open_for_reading(source));
  std::string temporary = directory + "/." + path.filename().string() + ".XXXXXX";
  UniqueFd to(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!to.valid()) {
    return Error::from_errno(errno, "creating a temporary file in " + directory);
  }
  ScopeGuard discard([&] { ::unlink(temporary.c_str()); });
  ROCELANE_RETURN_IF_ERROR(
      copy_content(from.get(), to.get()).with_context("copying " + source + " to " + target));
  if (::fchmod(to.get(), kProgramMode) != 0 || ::fsync(to.get()) != 0) {
    return Error::from_errno(errno, "finishing " + temporary);
  }
  // Closed before it has its name: a program open for writing cannot be executed.
  to.reset();
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    return Error::from_errno(errno, "renaming to " + target);
  }
  discard.dismiss();
  return sync_directory(directory);
}

}  // namespace

Result<bool> install_binary(const std::string& source, const std::string& target) {
  ROCELANE_RETURN_IF_ERROR(make_directories(std::filesystem::path(target).parent_path().string()));
  ROCELANE_ASSIGN_OR_RETURN(const bool there, already_installed(source, target));
  if (there) {
    return false;
  }
  ROCELANE_RETURN_IF_ERROR(replace(source, target));
  return true;
}

}  // namespace rocelane::agent
