// SPDX-License-Identifier: Apache-2.0
// Message and Socket: one netlink request and the connection it goes over. The only place that
// talks to libnl; its types never show in a header.
//
// Netns: a socket belongs to the network namespace of the thread that opened it, for ever
// (netlink(7)); open it inside NetNs::run_in() and use it from anywhere. Thread: one at a time.
// Kernel errors arrive with the kernel's own sentence (extended ack, NETLINK_EXT_ACK) in the
// message.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

struct nl_msg;
struct nl_sock;

namespace rocelane::netlink {

// One netlink message under construction: header, fixed family header, attributes. Append order is
// wire order. Appending never fails: the buffer grows to kMaxMessageBytes, past which the message
// is marked and Socket answers kInvalidInput.
class Message {
 public:
  // Far above any request of ours; an attribute's length has 16 bits (netlink(7)).
  static constexpr std::size_t kMaxMessageBytes = std::size_t{32} * 1024;

  Message(std::uint16_t type, std::uint16_t flags);  // NLM_F_REQUEST is added by Socket
  Message(Message&&) noexcept;
  Message& operator=(Message&&) noexcept;
  Message(const Message&) = delete;
  Message& operator=(const Message&) = delete;
  ~Message();

  void append(std::span<const std::uint8_t> bytes);  // fixed header, padded to 4
  template <typename T>
  void append_struct(const T& value) {
    append({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }
  void put(std::uint16_t attribute, std::span<const std::uint8_t> bytes);
  void put_u8(std::uint16_t attribute, std::uint8_t value);
  void put_u16(std::uint16_t attribute, std::uint16_t value);
  void put_be16(std::uint16_t attribute, std::uint16_t host_value);
  void put_u32(std::uint16_t attribute, std::uint32_t value);
  void put_u64(std::uint16_t attribute, std::uint64_t value);
  void put_string(std::uint16_t attribute, std::string_view text);  // with terminating zero
  template <typename T>
  void put_struct(std::uint16_t attribute, const T& value) {
    put(attribute, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }
  // Nest: everything put by `fill` lies inside `attribute` (NLA_F_NESTED set when `flagged`).
  void nest(std::uint16_t attribute, const std::function<void(Message&)>& fill,
            bool flagged = false);

  [[nodiscard]] bool overflowed() const { return overflow_; }
  // The whole message with header, as it goes over the wire (sequence number and port id zero).
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;

 private:
  friend class Socket;
  struct Free {
    void operator()(nl_msg* message) const;
  };
  // Room for `bytes` more; false and marked when there is none.
  bool reserve(std::size_t bytes);

  std::unique_ptr<nl_msg, Free> inner_;
  bool overflow_ = false;
};

// One received message: type and payload after nlmsghdr, valid as long as the Reply lives. A uevent
// has no header: type 0, and its text is the payload.
struct Reply {
  std::uint16_t type = 0;
  std::vector<std::uint8_t> payload;
};

enum class Family {
  kRoute,          // NETLINK_ROUTE
  kRdma,           // NETLINK_RDMA; kUnsupported where the kernel has no RDMA core
  kKobjectUevent,  // NETLINK_KOBJECT_UEVENT
};

class Socket {
 public:
  // No answer within this time is kTimeout: the kernel answers at once or holds a lock for a VF
  // reset (igb: about a second). Sending itself cannot be bounded: the kernel works on the request,
  // RTNL lock and driver included, inside sendto(2).
  static constexpr std::chrono::milliseconds kAnswerTimeout{15'000};
  static constexpr int kDumpRetries = 8;  // NLM_F_DUMP_INTR: the table changed while it was dumped

  static Result<Socket> open(Family family);

  Socket(Socket&&) noexcept;
  Socket& operator=(Socket&&) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  // Sends with NLM_F_ACK and waits for the ack.
  Result<void> acknowledge(Message message);
  // Sends and collects every answer up to the ack or NLMSG_DONE. A dump the kernel marks as
  // interrupted is repeated at most kDumpRetries times.
  Result<std::vector<Reply>> request(Message message);
  Result<std::vector<Reply>> dump(Message message);  // adds NLM_F_DUMP

  // Multicast groups by number (RTNLGRP_*, RDMA_NL_GROUP_*); the events are read with receive().
  // A joined socket may also carry requests: events that arrive meanwhile wait for receive().
  Result<void> join(std::uint32_t group);
  // Everything queued now, without waiting; kBusy "resync" when messages were lost (ENOBUFS): the
  // caller dumps again. For use with poll(2) on fd(), after an empty receive().
  Result<std::vector<Reply>> receive();
  [[nodiscard]] int fd() const;

 private:
  struct Close {
    void operator()(nl_sock* socket) const;
  };
  struct Datagram;
  struct Answer;

  Socket(std::unique_ptr<nl_sock, Close> socket, Family family);
  Result<std::vector<Reply>> transact(Message& message);
  Result<std::uint32_t> send(Message& message);
  Result<Answer> collect(std::uint32_t sequence);
  Result<bool> read(Datagram& datagram);
  Result<void> keep_events(const Datagram& datagram);

  std::unique_ptr<nl_sock, Close> inner_;
  Family family_;
  std::vector<Reply> events_;  // arrived while an answer was awaited
  bool lost_events_ = false;
};

}  // namespace rocelane::netlink
