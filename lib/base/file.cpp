// SPDX-License-Identifier: Apache-2.0
#include "lib/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "lib/base/scope_guard.h"
#include "lib/base/unique_fd.h"

namespace rocelane {

namespace {

constexpr std::size_t kReadChunk = std::size_t{16} * 1024;

std::string directory_of(const std::string& path) {
  const auto parent = std::filesystem::path(path).parent_path();
  return parent.empty() ? "." : parent.string();
}

Result<void> write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0) {
      if (errno == EINTR) {
        continue;
      }
      return Error::from_errno(errno, "write");
    }
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> sync_directory(const std::string& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid() || ::fsync(fd.get()) != 0) {
    return Error::from_errno(errno, "syncing directory " + directory);
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return Error::from_errno(errno, "opening " + path);
  }
  std::string content;
  std::array<char, kReadChunk> chunk{};
  while (true) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n < 0) {
      return Error::from_errno(errno, "reading " + path);
    }
    if (n == 0) {
      return content;
    }
    content.append(chunk.data(), static_cast<std::size_t>(n));
    if (content.size() > kMaxFileBytes) {
      return Error::make(Code::kInvalidInput,
                         fmt::format("{} is larger than {} bytes", path, kMaxFileBytes));
    }
  }
}

Result<void> write_file_atomic(const std::string& path, std::string_view content,
                               Durability durability, mode_t mode) {
  const auto directory = directory_of(path);
  std::string temporary =
      directory + "/." + std::filesystem::path(path).filename().string() + ".XXXXXX";
  const UniqueFd fd(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!fd.valid()) {
    return Error::from_errno(errno, "creating a temporary file in " + directory);
  }
  ScopeGuard discard([&] { ::unlink(temporary.c_str()); });
  if (::fchmod(fd.get(), mode) != 0) {
    return Error::from_errno(errno, "setting the mode of " + temporary);
  }
  ROCELANE_RETURN_IF_ERROR(write_all(fd.get(), content).with_context("writing " + path));
  if (durability == Durability::kDisk && ::fsync(fd.get()) != 0) {
    return Error::from_errno(errno, "syncing " + path);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return Error::from_errno(errno, "renaming to " + path);
  }
  discard.dismiss();
  return durability == Durability::kDisk ? sync_directory(directory) : Result<void>();
}

Result<void> remove_file(const std::string& path, Durability durability) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) {
    return Error::from_errno(errno, "removing " + path);
  }
  return durability == Durability::kDisk ? sync_directory(directory_of(path)) : Result<void>();
}

Result<void> make_directories(const std::string& path, mode_t mode) {
  std::string so_far;
  for (const auto& part : std::filesystem::path(path)) {
    so_far = so_far.empty() ? part.string() : (std::filesystem::path(so_far) / part).string();
    if (::mkdir(so_far.c_str(), mode) != 0 && errno != EEXIST && errno != EISDIR) {
      // A read-only parent answers EROFS even for a directory that exists.
      std::error_code ignored;
      const int number = errno;
      if (!std::filesystem::is_directory(so_far, ignored)) {
        return Error::from_errno(number, "creating directory " + so_far);
      }
    }
  }
  std::error_code status;
  if (!std::filesystem::is_directory(path, status)) {
    return Error::from_errno(ENOTDIR, "creating directory " + path);
  }
  return {};
}

}  // namespace rocelane
