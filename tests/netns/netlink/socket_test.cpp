// SPDX-License-Identifier: Apache-2.0
// Socket against the real kernel: what it says, what it loses, what comes late.
#include "lib/netlink/socket.h"

#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class SocketTest : public test::NetNsTest {
 protected:
  Result<Socket> another_socket() {
    return run([] { return Socket::open(Family::kRoute); });
  }
};

TEST_F(SocketTest, kernels_own_sentence_is_in_the_message) {
  ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
  auto refused = set_link(socket(), link("rl0").index, {.mtu = 10});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sys_errno, EINVAL);
  EXPECT_EQ(refused.error().message,
            "RTM_SETLINK rl0: mtu less than device minimum: Invalid argument");
}

TEST_F(SocketTest, works_on_after_a_refusal) {
  EXPECT_FALSE(set_link(socket(), IfIndex{4711}, {.mtu = 1400}).ok());
  auto lo = find_link(socket(), "lo");
  ASSERT_OK(lo);
  EXPECT_TRUE(lo->has_value());
}

TEST_F(SocketTest, closes_on_exec) { EXPECT_NE(::fcntl(socket().fd(), F_GETFD) & FD_CLOEXEC, 0); }

TEST_F(SocketTest, can_be_moved) {
  auto made = another_socket();
  ASSERT_OK(made);
  Socket moved = std::move(*made);
  auto second = another_socket();
  ASSERT_OK(second);
  moved = std::move(*second);
  EXPECT_OK(find_link(moved, "lo"));
}

TEST_F(SocketTest, oversized_request_is_refused_here) {
  Message message(RTM_GETLINK, 0);
  const std::vector<std::uint8_t> filler(Message::kMaxMessageBytes, 0);
  message.put(IFLA_IFALIAS, filler);
  EXPECT_ERROR(socket().request(std::move(message)), Code::kInvalidInput);
}

TEST_F(SocketTest, unknown_request_is_unsupported) {
  constexpr std::uint16_t kNoSuchType = RTM_MAX + 1;
  auto refused = socket().acknowledge(Message(kNoSuchType, 0));
  EXPECT_FALSE(refused.ok());
}

TEST_F(SocketTest, dump_over_many_datagrams_is_complete) {
  constexpr std::size_t kPairs = 40;
  for (std::size_t i = 0; i < kPairs; ++i) {
    const std::string number = std::to_string(i);
    ASSERT_OK(add_link(socket(), VethSpec{.name = "near" + number, .peer = "far" + number}));
  }
  auto links = dump_links(socket(), true);
  ASSERT_OK(links);
  std::size_t veths = 0;
  for (const Link& one : *links) {
    veths += one.kind == "veth" ? 1U : 0U;
  }
  EXPECT_EQ(veths, 2 * kPairs);
}

// An answer nobody waits for any more: its sequence number is not the next request's.
TEST_F(SocketTest, late_answers_of_a_given_up_request_are_passed_over) {
  Message stale = encode_get_link(IfIndex{1}, false);
  auto bytes = stale.bytes();
  auto* header = reinterpret_cast<nlmsghdr*>(bytes.data());
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  header->nlmsg_seq = 1;
  ASSERT_EQ(::send(socket().fd(), bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
  auto absent = find_link(socket(), "nosuch");
  ASSERT_OK(absent);
  EXPECT_FALSE(absent->has_value());
}

TEST_F(SocketTest, events_arrive_once) {
  auto monitor = another_socket();
  ASSERT_OK(monitor);
  ASSERT_OK(monitor->join(RTNLGRP_LINK));
  auto none = monitor->receive();
  ASSERT_OK(none);
  EXPECT_THAT(*none, IsEmpty());
  ASSERT_OK(add_link(socket(), BridgeSpec{.name = "br0"}));
  auto events = monitor->receive();  // the kernel queues them before it answers the request
  ASSERT_OK(events);
  ASSERT_FALSE(events->empty());
  EXPECT_EQ(events->front().type, RTM_NEWLINK);
  auto link_seen = parse_link(events->front().payload);
  ASSERT_OK(link_seen);
  EXPECT_EQ(link_seen->name, "br0");
  auto again = monitor->receive();
  ASSERT_OK(again);
  EXPECT_THAT(*again, IsEmpty());
}

TEST_F(SocketTest, events_during_a_request_wait_for_receive) {
  auto monitor = another_socket();
  ASSERT_OK(monitor);
  ASSERT_OK(monitor->join(RTNLGRP_LINK));
  ASSERT_OK(add_link(socket(), BridgeSpec{.name = "br0"}));
  ASSERT_OK(dump_links(*monitor));
  auto events = monitor->receive();
  ASSERT_OK(events);
  ASSERT_FALSE(events->empty());
  EXPECT_EQ(events->front().type, RTM_NEWLINK);
}

TEST_F(SocketTest, lost_events_ask_for_a_resync_once) {
  auto monitor = another_socket();
  ASSERT_OK(monitor);
  ASSERT_OK(monitor->join(RTNLGRP_LINK));
  const int smallest = 1;
  ASSERT_EQ(::setsockopt(monitor->fd(), SOL_SOCKET, SO_RCVBUF, &smallest, sizeof smallest), 0);
  constexpr int kEnough = 20;
  for (int i = 0; i < kEnough; ++i) {
    ASSERT_OK(add_link(socket(), BridgeSpec{.name = "br" + std::to_string(i)}));
  }
  auto lost = monitor->receive();
  EXPECT_ERROR(lost, Code::kBusy);
  EXPECT_THAT(lost.error().message, HasSubstr("resync"));
  auto afterwards = monitor->receive();
  ASSERT_OK(afterwards);
  EXPECT_THAT(*afterwards, IsEmpty());
}

TEST_F(SocketTest, rdma_family_answers_or_is_unsupported) {
  auto rdma = run([] { return Socket::open(Family::kRdma); });
  if (!rdma.ok()) {
    EXPECT_ERROR(rdma, Code::kUnsupported);
    EXPECT_THAT(rdma.error().message, HasSubstr("ib_core"));
  }
}

}  // namespace
}  // namespace rocelane::netlink
