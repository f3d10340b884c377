// SPDX-License-Identifier: Apache-2.0
// PcapWriter: a capture file in the classic pcap format. Written frame by frame without a buffer
// of its own, so the file is complete at any moment.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"

namespace rocelane::lab {

class PcapWriter {
 public:
  static constexpr std::uint32_t kMaxSnapLength = 262'144;  // what libpcap itself accepts at most

  // Creates or empties a regular file; longer frames are cut to snap_length bytes.
  static Result<PcapWriter> create(const std::string& path, std::uint32_t snap_length);

  // The first failed write ends the capture: later frames are ignored, error() says why, and what
  // the file has stays readable.
  void write(std::span<const std::uint8_t> frame, std::chrono::system_clock::time_point at);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  PcapWriter(UniqueFd file, std::string path, std::uint32_t snap_length);

  UniqueFd file_;
  std::string path_;
  std::uint32_t snap_length_;
  std::uint64_t frames_ = 0;
  std::int64_t size_;
  std::optional<Error> error_;
};

}  // namespace rocelane::lab
