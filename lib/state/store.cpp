// SPDX-License-Identifier: Apache-2.0
#include "lib/state/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "lib/base/deadline.h"
#include "lib/base/file.h"

namespace rocelane::state {

namespace {

constexpr std::string_view kSuffix = ".json";
// Container IDs may have a '-' in them; in the interface name it is escaped, so that the last one
// in a file name is the separator and no two attachments share a file.
constexpr char kSeparator = '-';
// NAME_MAX (linux/limits.h) less what a temporary file adds: '.' and ".XXXXXX".
constexpr std::size_t kMaxFileName = 255 - 8;
constexpr std::chrono::milliseconds kLockPause{10};

std::string attachments_in(const std::string& dir) { return dir + "/attachments"; }
std::string locks_in(const std::string& dir) { return dir + "/locks"; }

bool is_plain(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One path component: everything that could leave the directory, hide the file or be taken for the
// separator becomes '%XX'.
std::string component(std::string_view text, std::string_view also_plain) {
  std::string out;
  for (const char c : text) {
    const bool plain = is_plain(static_cast<unsigned char>(c)) ||
                       (also_plain.find(c) != std::string_view::npos && (c != '.' || !out.empty()));
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string container_part(std::string_view id) { return component(id, "._-"); }
std::string interface_part(std::string_view name) { return component(name, "._"); }
std::string device_part(std::string_view id) { return component(id, "._-:"); }

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char c = 0;
    const auto* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, c, 16).ptr == digits + 2) {
      out += static_cast<char>(c);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

// For a file that cannot be read its name is all there is.
Damaged damaged(const std::filesystem::path& path, std::string_view problem) {
  const auto stem = path.stem().string();
  const auto split = stem.rfind(kSeparator);
  const bool named = split != std::string::npos;
  return {.path = path.string(),
          .container_id = unescaped(named ? std::string_view(stem).substr(0, split) : stem),
          .if_name = named ? unescaped(std::string_view(stem).substr(split + 1)) : std::string(),
          .problem = std::string(problem)};
}

std::string file_name(std::string_view container_id, std::string_view if_name) {
  return container_part(container_id) + kSeparator + interface_part(if_name) + std::string(kSuffix);
}

Result<Record> load(const std::filesystem::path& path) {
  ROCELANE_ASSIGN_OR_RETURN(const auto text, read_file(path.string()));
  if (text.empty()) {
    return Error::make(Code::kInvalidInput, "the file is empty");
  }
  return parse_record(text);
}

Result<std::vector<std::filesystem::path>> record_files(const std::string& directory,
                                                        std::string_view prefix) {
  std::vector<std::filesystem::path> paths;
  std::error_code status;
  std::filesystem::directory_iterator entry(directory, status);
  for (; !status && entry != std::filesystem::directory_iterator(); entry.increment(status)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(kSuffix) && !name.starts_with('.')) {
      paths.push_back(entry->path());
    }
  }
  if (status && status != std::errc::no_such_file_or_directory) {
    return Error::from_errno(status.value(), "reading directory " + directory);
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<Listing> list_where(const std::string& directory, std::string_view prefix) {
  ROCELANE_ASSIGN_OR_RETURN(const auto paths, record_files(directory, prefix));
  Listing listing;
  for (const auto& path : paths) {
    auto record = load(path);
    if (!record.ok() && record.error().code == Code::kNotFound) {
      continue;  // removed meanwhile
    }
    if (!record.ok()) {
      listing.damaged.push_back(damaged(path, record.error().message));
    } else if (path.filename() != file_name(record->container_id, record->if_name)) {
      // A copy made by hand: acting on it would release somebody's device a second time.
      listing.damaged.push_back(damaged(path, "its content is the record of another file"));
    } else {
      listing.records.push_back(std::move(*record));
    }
  }
  return listing;
}

// Writers that were killed leave their temporary files; nobody writes this record any more.
void remove_leftovers(const std::string& directory, const std::string& name) {
  std::error_code status;
  std::filesystem::directory_iterator entry(directory, status);
  for (; !status && entry != std::filesystem::directory_iterator(); entry.increment(status)) {
    if (entry->path().filename().string().starts_with("." + name + ".")) {
      std::error_code ignored;  // the next listing meets it again
      std::filesystem::remove(entry->path(), ignored);
    }
  }
}

// Who holds the lock writes its pid into it; only for the message.
std::string holder_of(const std::string& path) {
  auto text = read_file(path).value_or("");
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.empty() ? std::string("an unknown process") : "process " + text;
}

void sign(int fd) {
  const auto text = fmt::format("{}\n", ::getpid());
  // Only for the message of whoever waits: a full disk does not matter.
  if (::ftruncate(fd, 0) == 0) {
    [[maybe_unused]] const auto written = ::pwrite(fd, text.data(), text.size(), 0);
  }
}

}  // namespace

Store::Store(std::string state_dir) : dir_(std::move(state_dir)) {}

Result<Store> Store::open(const std::string& state_dir) {
  ROCELANE_RETURN_IF_ERROR(make_directories(attachments_in(state_dir)));
  ROCELANE_RETURN_IF_ERROR(make_directories(locks_in(state_dir)));
  return Store(state_dir);
}

Store Store::read_only(const std::string& state_dir) { return Store(state_dir); }

std::string Store::record_path(std::string_view container_id, std::string_view if_name) const {
  return attachments_in(dir_) + "/" + file_name(container_id, if_name);
}

Result<void> Store::save(const Record& record) const {
  const auto path = record_path(record.container_id, record.if_name);
  const auto context = "saving the record of " + record.device_id;
  if (record.container_id.empty() || record.if_name.empty() ||
      file_name(record.container_id, record.if_name).size() > kMaxFileName) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("{}: no file can be named after container \"{}\", interface "
                                   "\"{}\"",
                                   context, record.container_id, record.if_name));
  }
  const auto text = encode_record(record);
  // What DEL could not read back must not be promised to it.
  if (const auto again = parse_record(text); !again.ok() || !(*again == record)) {
    return Error::make(Code::kInvalidInput, context + ": a field cannot be kept as JSON text");
  }
  return write_file_atomic(path, text, Durability::kDisk).with_context(context);
}

Result<void> Store::remove(const Record& record) const {
  remove_leftovers(attachments_in(dir_), file_name(record.container_id, record.if_name));
  return remove_file(record_path(record.container_id, record.if_name), Durability::kDisk)
      .with_context("removing the record of " + record.device_id);
}

Result<Listing> Store::list() const { return list_where(attachments_in(dir_), ""); }

Result<Listing> Store::list_container(std::string_view container_id) const {
  ROCELANE_ASSIGN_OR_RETURN(
      auto listing, list_where(attachments_in(dir_), container_part(container_id) + kSeparator));
  // "abc-" is also how the files of a container "abc-d" begin.
  const auto is_other = [&](const auto& entry) { return entry.container_id != container_id; };
  std::erase_if(listing.records, is_other);
  std::erase_if(listing.damaged, is_other);
  return listing;
}

Result<std::optional<Record>> Store::find_by_device(std::string_view device_id) const {
  ROCELANE_ASSIGN_OR_RETURN(auto listing, list());
  for (auto& record : listing.records) {
    if (record.device_id == device_id) {
      return std::optional(std::move(record));
    }
  }
  return std::optional<Record>();
}

Result<DeviceLock> Store::lock_device(std::string_view device_id,
                                      std::chrono::milliseconds limit) const {
  const auto path = locks_in(dir_) + "/" + device_part(device_id) + ".lock";
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd.valid()) {
    return Error::from_errno(errno, "opening lock " + path);
  }
  const auto deadline = Deadline::after(limit);
  // flock(2) cannot wait with a limit, and an alarm would be a signal in somebody's daemon.
  while (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return Error::from_errno(errno, "locking " + path);
    }
    if (deadline.passed()) {
      return Error::make(Code::kBusy,
                         fmt::format("{} is being worked on by {}", device_id, holder_of(path)));
    }
    std::this_thread::sleep_for(std::min(kLockPause, deadline.left()));
  }
  sign(fd.get());
  return DeviceLock(std::move(fd));
}

Result<std::string> read_boot_id(const std::string& proc_root) {
  ROCELANE_ASSIGN_OR_RETURN(auto id, read_file(proc_root + "/sys/kernel/random/boot_id"));
  while (!id.empty() && id.back() == '\n') {
    id.pop_back();
  }
  return id;
}

}  // namespace rocelane::state
