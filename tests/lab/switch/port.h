// SPDX-License-Identifier: Apache-2.0
// Port: the wire to one VM's NIC, its egress queue and its counters. Knows nothing about other
// ports or about what is in a frame. Never blocks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "lib/base/result.h"
#include "lib/base/unique_fd.h"
#include "tests/lab/switch/frame_ring.h"
#include "tests/lab/switch/pcap.h"
#include "tests/lab/switch/port_index.h"
#include "tests/lab/switch/socket_file.h"
#include "tests/lab/switch/unix_address.h"

namespace rocelane::lab {

enum class DropReason : std::uint8_t {
  kCut,        // the wire is cut in this direction
  kFault,      // a drop fault took it
  kDelayFull,  // too much is held back already
  kMalformed,  // ends inside its Ethernet header
  kOversize,   // longer than kMaxFrameBytes
  kSamePort,   // its destination is behind the port it came from
  kAbsent,     // no VM has bound vm<i>
  kFull,       // the VM does not read and the egress queue is full
  kError,      // any other refusal of the kernel
};
inline constexpr std::size_t kDropReasons = 9;
std::string_view to_string(DropReason reason);

struct Counter {
  std::uint64_t frames = 0;
  std::uint64_t bytes = 0;
};

class Port {
 public:
  struct Capture {
    PcapWriter file;
    Directions directions;
  };

  // Binds sw<i> in the working directory; vm<i> there is the VM's socket.
  static Result<Port> open(PortIndex index);

  // Reads one frame to the front of `buffer` (at least kMaxFrameBytes) and counts it. Absent:
  // nothing is waiting. Empty: one came that was dropped for its length.
  std::optional<std::span<std::uint8_t>> receive(std::span<std::uint8_t> buffer);

  // Hands a frame to the VM, or to the queue when the VM is behind, or counts why not.
  void send(std::span<const std::uint8_t> frame);
  // Sends what is queued, as far as the VM takes it.
  void flush();
  void drop(Direction direction, DropReason reason) { ++drops(direction).at(std::size_t(reason)); }

  // Cutting outwards also loses what is queued: a cut wire is silent at once.
  void set_cut(Directions cut);
  void set_capture(std::optional<Capture> capture) { capture_ = std::move(capture); }

  [[nodiscard]] int receive_fd() const { return from_vm_.fd(); }
  [[nodiscard]] int send_fd() const { return to_vm_.get(); }
  [[nodiscard]] bool wants_to_send() const { return !queue_.empty(); }
  [[nodiscard]] Directions cut() const { return cut_; }
  [[nodiscard]] const std::optional<Capture>& capture() const { return capture_; }
  [[nodiscard]] const Counter& received() const { return received_; }
  [[nodiscard]] const Counter& sent() const { return sent_; }
  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  [[nodiscard]] std::uint64_t dropped(Direction direction, DropReason reason) const;

 private:
  enum class Outcome : std::uint8_t { kSent, kBehind, kAbsent, kError };

  Port(UnixAddress vm, SocketFile from_vm, UniqueFd to_vm);
  Outcome ensure_connected();
  Outcome try_send(std::span<const std::uint8_t> frame);
  void lose_queue(DropReason reason);
  void record(Direction direction, std::span<const std::uint8_t> frame);
  std::array<std::uint64_t, kDropReasons>& drops(Direction direction) {
    return drops_.at(std::size_t(direction));
  }

  UnixAddress vm_;
  SocketFile from_vm_;
  // A second socket, connected to the VM's: only then does poll(2) tell when the VM has room
  // again, and a connected sw<i> would refuse a VM that was restarted (unix(7)).
  UniqueFd to_vm_;
  bool connected_ = false;
  Directions cut_;
  std::optional<Capture> capture_;
  FrameRing queue_;
  Counter received_;
  Counter sent_;
  std::array<std::array<std::uint64_t, kDropReasons>, kDirections> drops_{};
};

}  // namespace rocelane::lab
