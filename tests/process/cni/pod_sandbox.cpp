// SPDX-License-Identifier: Apache-2.0
#include "tests/process/cni/pod_sandbox.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdio>
#include <fstream>
#include <utility>

#include "tests/support/result_matchers.h"

namespace rocelane::test {

namespace {

netlink::Socket socket_in(const netns::NetNs& ns) {
  auto socket = netns::run_in(ns, [] { return netlink::Socket::open(netlink::Family::kRoute); });
  ROCELANE_CHECK(socket.ok());
  return std::move(*socket);
}

}  // namespace

PodSandbox::PodSandbox(std::string container_id) : container_id_(std::move(container_id)) {
  auto ns = netns::NetNs::create();
  ROCELANE_CHECK(ns.ok());
  ns_.emplace(std::move(*ns));
  const std::ofstream mount_point(path());
  const auto source = fmt::format("/proc/self/fd/{}", ns_->fd());
  if (::mount(source.c_str(), path().c_str(), nullptr, MS_BIND, nullptr) != 0) {
    std::perror("bind mount of a network namespace");
    ROCELANE_CHECK(false);
  }
}

PodSandbox::~PodSandbox() { destroy(); }

void PodSandbox::destroy() {
  ns_.reset();
  ::umount2(path().c_str(), MNT_DETACH);
  std::remove(path().c_str());
}

std::optional<netlink::Link> PodSandbox::link(const std::string& name) const {
  auto socket = socket_in(*ns_);
  auto found = netlink::find_link(socket, name);
  EXPECT_OK(found);
  return found.ok() ? *found : std::nullopt;
}

void PodSandbox::change_link(const std::string& name, const netlink::LinkChange& change) const {
  auto socket = socket_in(*ns_);
  const auto found = netlink::find_link(socket, name);
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value()) << name;
  ASSERT_OK(netlink::set_link(socket, (*found)->index, change));
}

}  // namespace rocelane::test
