// SPDX-License-Identifier: Apache-2.0
// Network namespaces of the real kernel.
#include "lib/netns/netns.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "tests/support/temp_dir.h"
#include "tests/support/test_netns.h"

namespace rocelane::netns {
namespace {

class NetNsHandle : public test::NetNsTest {};

TEST_F(NetNsHandle, created_namespaces_are_all_different) {
  auto here = NetNs::current();
  auto other = NetNs::create();
  ASSERT_OK(here);
  ASSERT_OK(other);
  EXPECT_NE(ns().id(), here->id());
  EXPECT_NE(ns().id(), other->id());
}

TEST_F(NetNsHandle, work_runs_inside_and_the_caller_stays_outside) {
  auto before = NetNs::current();
  ASSERT_OK(before);
  auto inside = run([] { return NetNs::current(); });
  ASSERT_OK(inside);
  EXPECT_EQ(inside->id(), ns().id());
  auto after = NetNs::current();
  ASSERT_OK(after);
  EXPECT_EQ(after->id(), before->id());
}

TEST_F(NetNsHandle, work_can_enter_yet_another_namespace) {
  auto other = NetNs::create();
  ASSERT_OK(other);
  auto innermost = run([&] { return run_in(*other, [] { return NetNs::current(); }); });
  ASSERT_OK(innermost);
  EXPECT_EQ(innermost->id(), other->id());
}

TEST_F(NetNsHandle, error_of_the_work_comes_back_as_it_is) {
  const Error mine = Error::make(Code::kBusy, "mine");
  auto outcome = ns().run_in([&]() -> Result<void> { return mine; });
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error(), mine);
  auto with_value = run([&]() -> Result<int> { return mine; });
  ASSERT_FALSE(with_value.ok());
  EXPECT_EQ(with_value.error(), mine);
}

TEST_F(NetNsHandle, work_sees_no_signals) {
  sigset_t blocked;
  ASSERT_OK(ns().run_in([&]() -> Result<void> {
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    return {};
  }));
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD, SIGHUP}) {
    EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
  }
  sigset_t mine;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mine);
  EXPECT_EQ(sigismember(&mine, SIGTERM), 0);
}

TEST_F(NetNsHandle, opens_by_path_what_a_thread_has) {
  auto reopened = NetNs::open("/proc/self/fd/" + std::to_string(ns().fd()));
  ASSERT_OK(reopened);
  EXPECT_EQ(reopened->id(), ns().id());
  EXPECT_NE(::fcntl(reopened->fd(), F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(NetNsHandle, socket_opened_inside_stays_inside) {
  ASSERT_OK(netlink::add_link(socket(), netlink::BridgeSpec{.name = "br-inside"}));
  auto inside = netlink::find_link(socket(), "br-inside");
  ASSERT_OK(inside);
  EXPECT_TRUE(inside->has_value());
  auto outer = netlink::Socket::open(netlink::Family::kRoute);
  ASSERT_OK(outer);
  auto outside = netlink::find_link(*outer, "br-inside");
  ASSERT_OK(outside);
  EXPECT_FALSE(outside->has_value());
}

// The kernel takes a namespace down when its last handle is closed; seen by the end of its veth.
TEST_F(NetNsHandle, lives_as_long_as_its_handle) {
  constexpr std::uint32_t kLinkGroup = 1;  // RTNLGRP_LINK
  auto peer_ns = NetNs::create();
  ASSERT_OK(peer_ns);
  std::optional<NetNs> peer(std::move(*peer_ns));
  ASSERT_OK(netlink::add_link(socket(), netlink::VethSpec{.name = "near", .peer = "far"}));
  ASSERT_OK(netlink::set_link(socket(), link("far").index, {.netns_fd = peer->fd()}));
  ASSERT_OK(netlink::find_link(socket(), "near"));
  ASSERT_OK(socket().join(kLinkGroup));
  peer.reset();
  bool gone = false;
  constexpr int kPatienceMs = 10'000;
  while (!gone) {
    pollfd entry{.fd = socket().fd(), .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&entry, 1, kPatienceMs), 1) << "near is still there";
    ASSERT_OK(socket().receive());
    auto near = netlink::find_link(socket(), "near");
    ASSERT_OK(near);
    gone = !near->has_value();
  }
}

TEST(NetNsOpen, absent_path) {
  EXPECT_ERROR(NetNs::open("/proc/self/ns/nothing"), Code::kNotFound);
  EXPECT_ERROR(NetNs::open(""), Code::kNotFound);
}

TEST(NetNsOpen, what_is_no_network_namespace_is_refused) {
  test::TempDir directory;
  std::ofstream(directory / "empty") << "";  // what is left of a bind mount that was undone
  ASSERT_EQ(::mkfifo((directory / "fifo").c_str(), 0600), 0);
  for (const std::string& path : {directory / "empty", directory / "fifo", directory.path(),
                                  std::string("/proc/self/ns/uts")}) {
    EXPECT_ERROR(NetNs::open(path), Code::kInvalidInput) << path;
  }
}

}  // namespace
}  // namespace rocelane::netns
