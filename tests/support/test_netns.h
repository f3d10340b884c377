// SPDX-License-Identifier: Apache-2.0
// NetNsTest: a gtest fixture that owns a fresh network namespace with lo up and a route socket in
// it. Where namespaces are not permitted the test is skipped with the reason. Programs of the netns
// rung link rocelane_netns_main, which enters a user namespace when not started as root.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "lib/netlink/link.h"
#include "lib/netlink/socket.h"
#include "lib/netns/netns.h"
#include "tests/support/result_matchers.h"

namespace rocelane::test {

// A namespace and a route socket in it; more of them for tests that move things about.
class TestNetNs {
 public:
  static Result<TestNetNs> create() {
    ROCELANE_ASSIGN_OR_RETURN(auto ns, netns::NetNs::create());
    ROCELANE_ASSIGN_OR_RETURN(auto socket, netns::run_in(ns, [] {
                                return netlink::Socket::open(netlink::Family::kRoute);
                              }));
    ROCELANE_RETURN_IF_ERROR(netlink::set_link(socket, kLoopback, {.up = true}));
    return TestNetNs(std::move(ns), std::move(socket));
  }

  [[nodiscard]] const netns::NetNs& ns() const { return ns_; }
  [[nodiscard]] int fd() const { return ns_.fd(); }
  netlink::Socket& socket() { return socket_; }

  // `work` returns a Result; it runs on a thread of its own inside.
  template <typename Work>
  [[nodiscard]] auto run(Work work) const {
    return netns::run_in(ns_, std::move(work));
  }

 private:
  static constexpr IfIndex kLoopback{1};  // in every netns (net/core/dev.c, LOOPBACK_IFINDEX)

  TestNetNs(netns::NetNs ns, netlink::Socket socket)
      : ns_(std::move(ns)), socket_(std::move(socket)) {}

  netns::NetNs ns_;
  netlink::Socket socket_;
};

class NetNsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TestNetNs::create();
    if (!made.ok() && made.error().code == Code::kPermission) {
      GTEST_SKIP() << "network namespaces are not permitted here: " << made.error().message;
    }
    ASSERT_OK(made);
    home_.emplace(std::move(*made));
  }

  // The fixture's namespace; only in a test body, never in SetUp before NetNsTest::SetUp.
  TestNetNs& home() { return *home_; }
  const netns::NetNs& ns() { return home_->ns(); }
  netlink::Socket& socket() { return home_->socket(); }

  template <typename Work>
  [[nodiscard]] auto run(Work work) {
    return home_->run(std::move(work));
  }

  // The link of this name in the fixture's namespace; it has to be there.
  netlink::Link link(const std::string& name) {
    auto found = netlink::find_link(socket(), name);
    EXPECT_OK(found);
    EXPECT_TRUE(found.ok() && found->has_value()) << "no link " << name;
    return found.ok() && *found ? **found : netlink::Link{};
  }

 private:
  std::optional<TestNetNs> home_;
};

// For kinds a kernel may lack (vlan, vrf, dummy): skips the calling test with the reason.
#define ROCELANE_SKIP_IF_UNSUPPORTED(result, what)                                         \
  do {                                                                                     \
    if (!(result).ok() && (result).error().code == ::rocelane::Code::kUnsupported) {       \
      GTEST_SKIP() << "this kernel has no " << (what) << ": " << (result).error().message; \
    }                                                                                      \
  } while (false)

}  // namespace rocelane::test
