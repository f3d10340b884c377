// SPDX-License-Identifier: Apache-2.0
// Owns the file access below a sysfs root; what the files mean is lib/rdma's business.
#include "lib/sysfs/sysfs.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <memory>
#include <string_view>

#include "lib/base/file.h"
#include "lib/base/log.h"

namespace rocelane::sysfs {

namespace {

// Names from configuration and the kernel end up in paths: neither may lead out of the root.
Result<void> check_path(std::string_view path) {
  if (path.starts_with('/')) {
    return Error::make(Code::kInvalidInput,
                       "sysfs path '" + std::string(path) + "' must be relative to the root");
  }
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, slash) == "..") {
      return Error::make(Code::kInvalidInput,
                         "sysfs path '" + std::string(path) + "' must not contain '..'");
    }
    rest.remove_prefix(std::min(slash + 1, rest.size()));
  }
  return {};
}

Result<UniqueFd> open_below(const UniqueFd& root, const std::string& path, int flags) {
  ROCELANE_RETURN_IF_ERROR(check_path(path));
  const std::string target = path.empty() ? "." : path;
  UniqueFd fd(::openat(root.get(), target.c_str(), flags | O_CLOEXEC));
  if (!fd.valid()) {
    return Error::from_errno(errno, path);
  }
  return fd;
}

Result<std::string> read_all(int fd, const std::string& path) {
  std::string content;
  std::array<char, 4096> chunk{};
  while (true) {
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got < 0) {
      return Error::from_errno(errno, path);
    }
    if (got == 0) {
      return content;
    }
    content.append(chunk.data(), static_cast<std::size_t>(got));
    if (content.size() > kMaxFileBytes) {
      return Error::make(Code::kInvalidInput, path + ": larger than any sysfs attribute");
    }
  }
}

long write_once(int fd, const std::string& value) {
  while (true) {
    const ssize_t done = ::write(fd, value.data(), value.size());
    if (done >= 0 || errno != EINTR) {
      return done;
    }
  }
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_dots(std::string_view name) { return name == "." || name == ".."; }

}  // namespace

Sysfs::Sysfs(UniqueFd root) : root_(std::move(root)) {}

Result<Sysfs> Sysfs::open(const std::string& root) {
  UniqueFd fd(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) {
    return Error::from_errno(errno, root);
  }
  return Sysfs(std::move(fd));
}

// By system call number: glibc's <sys/mount.h> has these functions only since 2.36 and its
// constants clash with <linux/mount.h>.
Result<Sysfs> Sysfs::open_detached() {
  const UniqueFd context(static_cast<int>(::syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC)));
  if (!context.valid()) {
    return Error::from_errno(errno, "fsopen sysfs");
  }
  if (::syscall(SYS_fsconfig, context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0) {
    return Error::from_errno(errno, "fsconfig sysfs");
  }
  const unsigned attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC;
  UniqueFd mount(
      static_cast<int>(::syscall(SYS_fsmount, context.get(), FSMOUNT_CLOEXEC, attributes)));
  if (!mount.valid()) {
    return Error::from_errno(errno, "fsmount sysfs");
  }
  return Sysfs(std::move(mount));
}

Result<std::string> Sysfs::read(const std::string& path) const {
  ROCELANE_ASSIGN_OR_RETURN(const UniqueFd fd, open_below(root_, path, O_RDONLY));
  ROCELANE_ASSIGN_OR_RETURN(std::string content, read_all(fd.get(), path));
  if (content.ends_with('\n')) {
    content.pop_back();
  }
  return content;
}

Result<std::optional<std::string>> Sysfs::find(const std::string& path) const {
  auto content = read(path);
  if (content.ok()) {
    return std::optional<std::string>(std::move(*content));
  }
  const Error& error = content.error();
  const bool refused = error.sys_errno == EINVAL || error.sys_errno == EOPNOTSUPP;
  // ENOTDIR: the parent is a file, so there is nothing at this path either.
  if (error.code == Code::kNotFound || error.sys_errno == ENOTDIR || refused) {
    return std::optional<std::string>();
  }
  return error;
}

Result<std::int64_t> Sysfs::read_number(const std::string& path) const {
  ROCELANE_ASSIGN_OR_RETURN(const std::string text, read(path));
  std::string_view digits = text;
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    digits.remove_prefix(2);
    base = 16;
  }
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, status] = std::from_chars(digits.data(), end, value, base);
  const bool signed_hex = base == 16 && digits.starts_with('-');
  if (status != std::errc{} || stopped != end || signed_hex) {
    return Error::make(Code::kInvalidInput, path + ": '" + text + "' is not a number");
  }
  return value;
}

Result<void> Sysfs::write(const std::string& path, const std::string& value) const {
  log::debug("sysfs write", {{"path", path}, {"value", value}});
  // O_TRUNC means nothing to sysfs; in a test tree it makes the value replace the old one.
  ROCELANE_ASSIGN_OR_RETURN(const UniqueFd fd, open_below(root_, path, O_WRONLY | O_TRUNC));
  const long done = write_once(fd.get(), value);
  if (done < 0) {
    return Error::from_errno(errno, path + ": writing '" + value + "'");
  }
  if (static_cast<std::size_t>(done) != value.size()) {
    return Error::make(Code::kIo, path + ": only a part of '" + value + "' was taken");
  }
  return {};
}

Result<std::vector<std::string>> Sysfs::list(const std::string& path) const {
  auto opened = open_below(root_, path, O_RDONLY | O_DIRECTORY);
  if (!opened.ok()) {
    if (opened.error().code == Code::kNotFound) {
      return std::vector<std::string>();
    }
    return opened.error();
  }
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(opened->get()));
  if (!directory) {
    return Error::from_errno(errno, path);
  }
  // fdopendir(3): the descriptor belongs to the stream from here on.
  [[maybe_unused]] const int given_away = opened->release();
  std::vector<std::string> names;
  errno = 0;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own (readdir(3), ATTRIBUTES)
  while (const dirent* entry = ::readdir(directory.get())) {
    if (!is_dots(entry->d_name)) {
      names.emplace_back(entry->d_name);
    }
    errno = 0;
  }
  if (errno != 0) {
    return Error::from_errno(errno, path);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::optional<std::string>> Sysfs::link_name(const std::string& path) const {
  ROCELANE_RETURN_IF_ERROR(check_path(path));
  std::array<char, PATH_MAX> target{};
  const ssize_t length = ::readlinkat(root_.get(), path.c_str(), target.data(), target.size());
  if (length < 0 && (errno == ENOENT || errno == ENOTDIR)) {
    return std::optional<std::string>();
  }
  if (length < 0) {
    return Error::from_errno(errno, path);
  }
  const std::string_view text(target.data(), static_cast<std::size_t>(length));
  const std::size_t slash = text.rfind('/');
  return std::optional<std::string>(text.substr(slash == std::string_view::npos ? 0 : slash + 1));
}

bool Sysfs::exists(const std::string& path) const {
  return check_path(path).ok() && ::faccessat(root_.get(), path.c_str(), F_OK, 0) == 0;
}

}  // namespace rocelane::sysfs
