// SPDX-License-Identifier: Apache-2.0
// Owns the connection to the kernel: options, sequence numbers, waiting, dumps that have to be
// repeated. What messages mean is left to link, address, route and rdma.
#include "lib/netlink/socket.h"

#include <linux/netlink.h>
#include <netlink/msg.h>
#include <netlink/socket.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "lib/base/deadline.h"
#include "lib/base/unique_fd.h"
#include "lib/netlink/ack.h"

namespace rocelane::netlink {

struct Socket::Datagram {
  std::vector<std::uint8_t> bytes;
  bool from_kernel = false;
  bool multicast = false;
};

struct Socket::Answer {
  std::vector<Reply> replies;
  Result<void> outcome;
  bool complete = false;
  bool interrupted = false;
};

namespace {

// A dump of some hundred links with their VFs fits; the kernel stops a dump until it is read, but
// drops events (netlink(7), ENOBUFS).
constexpr int kReceiveBufferBytes = 4 * 1024 * 1024;

int protocol_of(Family family) {
  switch (family) {
    case Family::kRdma:
      return NETLINK_RDMA;
    case Family::kKobjectUevent:
      return NETLINK_KOBJECT_UEVENT;
    case Family::kRoute:
      break;
  }
  return NETLINK_ROUTE;
}

bool set_option(int fd, int level, int option, int value) {
  return ::setsockopt(fd, level, option, &value, sizeof value) == 0;
}

// All of these make things better where the kernel has them; none is needed to work.
void set_options(int fd, Family family) {
  set_option(fd, SOL_NETLINK, NETLINK_EXT_ACK, 1);
  set_option(fd, SOL_NETLINK, NETLINK_CAP_ACK, 1);
  if (family == Family::kRoute) {
    // Dumps filtered by the kernel, unknown attributes refused (kernel >= 4.20).
    set_option(fd, SOL_NETLINK, NETLINK_GET_STRICT_CHK, 1);
  }
  if (!set_option(fd, SOL_SOCKET, SO_RCVBUFFORCE, kReceiveBufferBytes)) {
    set_option(fd, SOL_SOCKET, SO_RCVBUF, kReceiveBufferBytes);  // up to net.core.rmem_max
  }
}

// Calls visit(header, payload) for each message of a datagram until it answers an error.
template <typename Visit>
Result<void> for_each_message(Bytes bytes, Visit visit) {
  while (!bytes.empty()) {
    nlmsghdr header{};
    if (bytes.size() < sizeof header) {
      return Error::make(Code::kIo, "netlink: a message without its header");
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > bytes.size()) {
      return Error::make(Code::kIo, "netlink: message of " + std::to_string(header.nlmsg_len) +
                                        " bytes where " + std::to_string(bytes.size()) + " are");
    }
    const Bytes payload = bytes.subspan(sizeof header, header.nlmsg_len - sizeof header);
    ROCELANE_RETURN_IF_ERROR(visit(header, payload));
    bytes = bytes.subspan(std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), bytes.size()));
  }
  return {};
}

Reply make_reply(std::uint16_t type, Bytes payload) {
  return Reply{.type = type, .payload = {payload.begin(), payload.end()}};
}

Result<void> wait_readable(int fd, const Deadline& deadline) {
  while (true) {
    pollfd entry{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&entry, 1, static_cast<int>(deadline.left().count()));
    if (ready > 0) {
      return {};
    }
    if (ready == 0) {
      return Error::make(Code::kTimeout, "netlink: no answer from the kernel");
    }
    if (errno != EINTR) {
      return Error::from_errno(errno, "netlink: poll");
    }
  }
}

}  // namespace

void Socket::Close::operator()(nl_sock* socket) const { nl_socket_free(socket); }

Socket::Socket(std::unique_ptr<nl_sock, Close> socket, Family family)
    : inner_(std::move(socket)), family_(family) {}
Socket::Socket(Socket&&) noexcept = default;
Socket& Socket::operator=(Socket&&) noexcept = default;
Socket::~Socket() = default;

int Socket::fd() const { return nl_socket_get_fd(inner_.get()); }

// socket(2) and bind(2) by hand: nl_connect() keeps a process-wide table of port ids, which means
// nothing across network namespaces, and turns EPROTONOSUPPORT into "generic error".
Result<Socket> Socket::open(Family family) {
  const int protocol = protocol_of(family);
  UniqueFd fd(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol));
  if (!fd.valid()) {
    return Error::from_errno(
        errno, family == Family::kRdma ? "netlink: no RDMA core (ib_core)" : "netlink: socket");
  }
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
    return Error::from_errno(errno, "netlink: bind");
  }
  set_options(fd.get(), family);
  std::unique_ptr<nl_sock, Close> socket(nl_socket_alloc());
  ROCELANE_CHECK(socket != nullptr);
  if (nl_socket_set_fd(socket.get(), protocol, fd.get()) != 0) {
    return Error::make(Code::kIo, "netlink: libnl does not take the socket");
  }
  [[maybe_unused]] const int now_owned_by_libnl = fd.release();
  return Socket(std::move(socket), family);
}

Result<std::uint32_t> Socket::send(Message& message) {
  if (message.overflowed()) {
    return Error::make(Code::kInvalidInput, "netlink: the request is larger than " +
                                                std::to_string(Message::kMaxMessageBytes) +
                                                " bytes");
  }
  nlmsghdr* header = nlmsg_hdr(message.inner_.get());
  header->nlmsg_flags |= NLM_F_REQUEST;
  header->nlmsg_seq = nl_socket_use_seq(inner_.get());
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  while (::sendto(fd(), header, header->nlmsg_len, MSG_NOSIGNAL,
                  reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel) < 0) {
    if (errno != EINTR) {
      return Error::from_errno(errno, "netlink: sending");
    }
  }
  return header->nlmsg_seq;
}

// One datagram without waiting; false when there is none.
Result<bool> Socket::read(Datagram& datagram) {
  ssize_t size = ::recv(fd(), nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
  while (size < 0 && errno == ENOBUFS) {
    lost_events_ = true;  // said once per overrun; what is queued can still be read
    size = ::recv(fd(), nullptr, 0, MSG_PEEK | MSG_TRUNC | MSG_DONTWAIT);
  }
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
    return false;
  }
  if (size < 0) {
    return Error::from_errno(errno, "netlink: receiving");
  }
  datagram.bytes.resize(static_cast<std::size_t>(size));
  sockaddr_nl sender{};
  iovec place{.iov_base = datagram.bytes.data(), .iov_len = datagram.bytes.size()};
  msghdr header{};
  header.msg_name = &sender;
  header.msg_namelen = sizeof sender;
  header.msg_iov = &place;
  header.msg_iovlen = 1;
  const ssize_t got = ::recvmsg(fd(), &header, MSG_DONTWAIT);
  if (got < 0) {
    return Error::from_errno(errno, "netlink: receiving");
  }
  if ((header.msg_flags & MSG_TRUNC) != 0) {
    return Error::make(Code::kIo, "netlink: a message was cut short");
  }
  datagram.bytes.resize(static_cast<std::size_t>(got));
  datagram.from_kernel = sender.nl_pid == 0;
  datagram.multicast = sender.nl_groups != 0;
  return true;
}

Result<void> Socket::keep_events(const Datagram& datagram) {
  if (family_ == Family::kKobjectUevent) {
    events_.push_back(make_reply(0, datagram.bytes));
    return {};
  }
  return for_each_message(datagram.bytes, [this](const nlmsghdr& header, Bytes payload) {
    events_.push_back(make_reply(header.nlmsg_type, payload));
    return Result<void>();
  });
}

// Every message of an answer carries the request's sequence number; others belong to a request
// that was given up at its deadline.
Result<Socket::Answer> Socket::collect(std::uint32_t sequence) {
  const Deadline deadline = Deadline::after(kAnswerTimeout);
  Answer answer;
  const auto take = [&](const nlmsghdr& header, Bytes payload) -> Result<void> {
    if (header.nlmsg_seq != sequence || header.nlmsg_type == NLMSG_NOOP) {
      return {};
    }
    answer.interrupted |= (header.nlmsg_flags & NLM_F_DUMP_INTR) != 0;
    if (header.nlmsg_type >= NLMSG_MIN_TYPE) {
      answer.replies.push_back(make_reply(header.nlmsg_type, payload));
      return {};
    }
    answer.complete = true;
    answer.outcome = header.nlmsg_type == NLMSG_DONE
                         ? parse_done_message(payload, header.nlmsg_flags)
                         : parse_error_message(payload, header.nlmsg_flags);
    return {};
  };
  while (!answer.complete) {
    ROCELANE_RETURN_IF_ERROR(wait_readable(fd(), deadline));
    Datagram datagram;
    ROCELANE_ASSIGN_OR_RETURN(const bool present, read(datagram));
    if (!present || !datagram.from_kernel) {
      continue;
    }
    ROCELANE_RETURN_IF_ERROR(datagram.multicast ? keep_events(datagram)
                                                : for_each_message(datagram.bytes, take));
  }
  return answer;
}

Result<std::vector<Reply>> Socket::transact(Message& message) {
  for (int attempt = 0; attempt <= kDumpRetries; ++attempt) {
    ROCELANE_ASSIGN_OR_RETURN(const std::uint32_t sequence, send(message));
    ROCELANE_ASSIGN_OR_RETURN(Answer answer, collect(sequence));
    ROCELANE_RETURN_IF_ERROR(std::move(answer.outcome));
    if (!answer.interrupted) {
      return std::move(answer.replies);
    }
  }
  return Error::make(Code::kBusy, "netlink: the table changed during each of " +
                                      std::to_string(kDumpRetries + 1) + " dumps");
}

Result<void> Socket::acknowledge(Message message) {
  auto replies = request(std::move(message));
  return replies.ok() ? Result<void>() : replies.error();
}

Result<std::vector<Reply>> Socket::request(Message message) {
  nlmsghdr* header = nlmsg_hdr(message.inner_.get());
  // A dump ends with NLMSG_DONE; everything else with the ack that is asked for here.
  if ((header->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP) {
    header->nlmsg_flags |= NLM_F_ACK;
  }
  return transact(message);
}

Result<std::vector<Reply>> Socket::dump(Message message) {
  nlmsg_hdr(message.inner_.get())->nlmsg_flags |= NLM_F_DUMP;
  return transact(message);
}

Result<void> Socket::join(std::uint32_t group) {
  if (!set_option(fd(), SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, static_cast<int>(group))) {
    return Error::from_errno(errno, "netlink: joining group " + std::to_string(group));
  }
  return {};
}

Result<std::vector<Reply>> Socket::receive() {
  Datagram datagram;
  while (true) {
    ROCELANE_ASSIGN_OR_RETURN(const bool present, read(datagram));
    if (!present) {
      break;
    }
    if (datagram.from_kernel && datagram.multicast) {
      ROCELANE_RETURN_IF_ERROR(keep_events(datagram));
    }
  }
  if (std::exchange(lost_events_, false)) {
    events_.clear();
    return Error::make(Code::kBusy, "netlink: events were lost: resync");
  }
  return std::exchange(events_, {});
}

}  // namespace rocelane::netlink
