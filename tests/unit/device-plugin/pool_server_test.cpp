// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/pool_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/support/fake_kubelet.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::plugin {
namespace {

using test::FakeKubelet;

constexpr const char* kResource = "rdma/roce";

class PoolServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto kubelet = FakeKubelet::start(dir_ / "plugins");
    ASSERT_OK(kubelet);
    kubelet_ = std::move(*kubelet);
    auto pool = PoolServer::start(loop_, worker_, kResource, dir_ / "plugins");
    ASSERT_OK(pool);
    pool_ = std::move(*pool);
    thread_ = std::thread([this] { loop_.run(); });
  }

  void TearDown() override {
    loop_.post([this] {
      pool_.reset();
      loop_.stop();
    });
    thread_.join();
  }

  void on_loop(Task task) { loop_.post(std::move(task)); }

  test::TempDir dir_;
  std::unique_ptr<FakeKubelet> kubelet_;
  EventLoop loop_;
  Worker worker_;
  std::shared_ptr<PoolServer> pool_;
  std::thread thread_;
};

TEST_F(PoolServerTest, names_its_socket_after_the_resource) {
  EXPECT_EQ(PoolServer::socket_name(kResource), "rocelane-rdma_roce.sock");
}

TEST_F(PoolServerTest, does_not_register_before_it_is_told_that_kubelet_is_there) {
  on_loop([this] { pool_->set_devices({{.id = "a", .reason = {}, .numa_node = {}}}); });
  on_loop([this] { pool_->kubelet_appeared(); });
  ASSERT_TRUE(
      kubelet_->wait_for_list(kResource, [](const auto& list) { return list.size() == 1; }));
  EXPECT_EQ(kubelet_->lists(kResource), 1) << "an empty list went out first";
}

TEST_F(PoolServerTest, keeps_trying_while_it_is_refused) {
  kubelet_->refuse("no such thing");
  on_loop([this] { pool_->kubelet_appeared(); });
  ASSERT_TRUE(kubelet_->wait_for_refusals(3));
  kubelet_->refuse("");
  EXPECT_TRUE(kubelet_->wait_for_registrations(1));
}

TEST_F(PoolServerTest, comes_back_when_kubelet_closes_the_newer_of_two_connections) {
  on_loop([this] { pool_->kubelet_appeared(); });
  ASSERT_TRUE(kubelet_->wait_for_list(kResource, [](const auto&) { return true; }));
  // Kubelet's own slip: the end of any connection of a resource closes the one in its slot.
  on_loop([this] { pool_->kubelet_appeared(); });
  ASSERT_TRUE(kubelet_->wait_for_registrations(2));
  kubelet_->drop_stream(kResource);
  ASSERT_TRUE(kubelet_->wait_for_registrations(3));
  EXPECT_TRUE(kubelet_->wait_for_list(kResource, [](const auto&) { return true; }));
}

TEST_F(PoolServerTest, does_not_spin_when_every_stream_is_lost_at_once) {
  on_loop([this] { pool_->kubelet_appeared(); });
  const auto until = FakeKubelet::Clock::now() + std::chrono::milliseconds(500);
  while (FakeKubelet::Clock::now() < until) {
    kubelet_->drop_stream(kResource);
    std::this_thread::yield();
  }
  // 0, 4, 8, … ms: the pauses double.
  EXPECT_LT(kubelet_->registrations().size(), 12U);
}

}  // namespace
}  // namespace rocelane::plugin
