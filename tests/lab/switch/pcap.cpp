// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/pcap.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace rocelane::lab {

namespace {

// pcap-savefile(5). Host byte order: readers tell it from the magic number.
struct FileHeader {
  std::uint32_t magic = 0xa1b2c3d4;  // times in microseconds
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
  std::uint32_t reserved1 = 0;
  std::uint32_t reserved2 = 0;
  std::uint32_t snap_length = 0;
  std::uint32_t link_type = 1;  // LINKTYPE_ETHERNET
};
static_assert(sizeof(FileHeader) == 24);

struct RecordHeader {
  std::uint32_t seconds = 0;
  std::uint32_t microseconds = 0;
  std::uint32_t captured_length = 0;
  std::uint32_t original_length = 0;
};
static_assert(sizeof(RecordHeader) == 16);

template <typename Header>
iovec vector_of(Header& header) {
  return {.iov_base = &header, .iov_len = sizeof(header)};
}

// A regular file takes everything or is out of space, so a short write is ENOSPC.
Result<void> write_whole(int file, std::span<const iovec> parts) {
  std::size_t want = 0;
  for (const auto& part : parts) {
    want += part.iov_len;
  }
  const ssize_t written = ::writev(file, parts.data(), static_cast<int>(parts.size()));
  if (written < 0 || static_cast<std::size_t>(written) != want) {
    return Error::from_errno(written < 0 ? errno : ENOSPC, "writing the capture");
  }
  return {};
}

}  // namespace

PcapWriter::PcapWriter(UniqueFd file, std::string path, std::uint32_t snap_length)
    : file_(std::move(file)),
      path_(std::move(path)),
      snap_length_(snap_length),
      size_(sizeof(FileHeader)) {}

Result<PcapWriter> PcapWriter::create(const std::string& path, std::uint32_t snap_length) {
  // Non-blocking: opening a FIFO without a reader must fail, not stop the switch.
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK,
                       S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0) {
    return Error::from_errno(errno, "opening " + path);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error::make(Code::kInvalidInput, path + " is not a regular file");
  }
  if (::ftruncate(file.get(), 0) != 0) {
    return Error::from_errno(errno, "emptying " + path);
  }
  FileHeader header{.snap_length = snap_length};
  const std::array parts{vector_of(header)};
  ROCELANE_RETURN_IF_ERROR(write_whole(file.get(), parts).with_context(path));
  return PcapWriter(std::move(file), path, snap_length);
}

void PcapWriter::write(std::span<const std::uint8_t> frame,
                       std::chrono::system_clock::time_point at) {
  if (error_) {
    return;
  }
  const auto since_epoch =
      std::chrono::duration_cast<std::chrono::microseconds>(at.time_since_epoch()).count();
  constexpr std::int64_t kMicrosPerSecond = 1'000'000;
  const auto kept = std::min<std::size_t>(frame.size(), snap_length_);
  RecordHeader header{.seconds = static_cast<std::uint32_t>(since_epoch / kMicrosPerSecond),
                      .microseconds = static_cast<std::uint32_t>(since_epoch % kMicrosPerSecond),
                      .captured_length = static_cast<std::uint32_t>(kept),
                      .original_length = static_cast<std::uint32_t>(frame.size())};
  const std::array parts{
      vector_of(header),
      // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): writev(2) only reads it
      iovec{.iov_base = const_cast<std::uint8_t*>(frame.data()), .iov_len = kept}};
  if (auto done = write_whole(file_.get(), parts); !done.ok()) {
    error_ = done.error();
    if (::ftruncate(file_.get(), size_) != 0) {
      error_ = Error::from_errno(errno, "removing half a frame from " + path_);
    }
    return;
  }
  ++frames_;
  size_ += static_cast<std::int64_t>(sizeof(RecordHeader) + kept);
}

}  // namespace rocelane::lab
