// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/pod_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "tests/support/fake_pod_resources.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::kubelet {
namespace {

using std::chrono::milliseconds;
using test::FakePodResources;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// Long enough for a few tries, short enough for a test.
constexpr RetryPolicy kShort{
    .limit = milliseconds(120), .first_pause = milliseconds(5), .longest_pause = milliseconds(20)};

std::vector<PodDevices> two_pods() {
  return {{.name = "a",
           .ns = "default",
           .devices = {{.container = "main",
                        .resource = "rdma/roce",
                        .device_ids = {"0000:01:10.4", "0000:01:10.0"}},
                       {.container = "side", .resource = "x/y", .device_ids = {"z"}}},
           .claims = {}},
          {.name = "a", .ns = "other", .devices = {}, .claims = {}}};
}

class PodResources : public testing::Test {
 protected:
  void SetUp() override {
    auto started = FakePodResources::start(socket_);
    ASSERT_OK(started);
    server_ = std::move(*started);
    server_->set_pods(two_pods());
  }

  test::TempDir dir_;
  std::string socket_ = dir_ / "kubelet.sock";
  std::unique_ptr<FakePodResources> server_;
};

TEST_F(PodResources, come_from_get_in_one_call) {
  const auto pod = get_pod_devices(socket_, "default", "a");
  ASSERT_OK(pod);
  EXPECT_EQ(pod->ns, "default");
  ASSERT_THAT(pod->devices, SizeIs(2));
  EXPECT_EQ(pod->devices[0].container, "main");
  EXPECT_EQ(pod->devices[0].resource, "rdma/roce");
  EXPECT_EQ(server_->calls().get, 1);
  EXPECT_EQ(server_->calls().list, 0);
}

TEST_F(PodResources, devices_of_several_numa_nodes_are_one_sorted_entry) {
  const auto pod = get_pod_devices(socket_, "default", "a");
  ASSERT_OK(pod);
  EXPECT_THAT(pod->devices[0].device_ids, ElementsAre("0000:01:10.0", "0000:01:10.4"));
}

TEST_F(PodResources, a_pod_without_devices_is_an_empty_answer) {
  const auto pod = get_pod_devices(socket_, "other", "a");
  ASSERT_OK(pod);
  EXPECT_EQ(*pod, (PodDevices{.name = "a", .ns = "other", .devices = {}, .claims = {}}));
}

TEST_F(PodResources, claims_of_dra_drivers_are_read_too) {
  const ClaimedDevice claim{.container = "main",
                            .claim_namespace = "default",
                            .claim = "nic",
                            .driver = "roce.rocelane.io",
                            .pool = "node1",
                            .device = "0000-01-10-0",
                            .cdi_devices = {"rocelane.io/roce=0000:01:10.0"}};
  server_->set_pods({{.name = "d", .ns = "default", .devices = {}, .claims = {claim}}});
  const auto pod = get_pod_devices(socket_, "default", "d");
  ASSERT_OK(pod);
  EXPECT_THAT(pod->claims, ElementsAre(claim));
}

TEST_F(PodResources, of_a_pod_that_get_does_not_know_are_not_found) {
  EXPECT_ERROR(get_pod_devices(socket_, "default", "nobody"), Code::kNotFound);
  EXPECT_EQ(server_->calls().list, 0);
}

class PodResourcesWithoutGet : public PodResources,
                               public testing::WithParamInterface<FakePodResources::GetMode> {};

TEST_P(PodResourcesWithoutGet, come_from_list) {
  server_->set_get(GetParam());
  const auto pod = get_pod_devices(socket_, "default", "a");
  ASSERT_OK(pod);
  EXPECT_THAT(pod->devices, SizeIs(2));
  EXPECT_EQ(server_->calls().list, 1);
}

TEST_P(PodResourcesWithoutGet, an_unknown_pod_is_not_found) {
  server_->set_get(GetParam());
  EXPECT_ERROR(get_pod_devices(socket_, "default", "nobody"), Code::kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Kubelet, PodResourcesWithoutGet,
                         testing::Values(FakePodResources::GetMode::kDisabled,
                                         FakePodResources::GetMode::kUnimplemented),
                         [](const auto& mode) { return std::to_string(mode.index); });

TEST_F(PodResources, a_call_past_the_rate_limit_is_repeated) {
  server_->refuse_next(3);
  EXPECT_OK(get_pod_devices(socket_, "default", "a"));
  EXPECT_EQ(server_->calls().refused, 3);
  EXPECT_EQ(server_->calls().get, 4);
}

TEST_F(PodResources, a_limit_that_does_not_pass_ends_as_busy_with_a_sentence) {
  server_->refuse_next(1'000'000);
  constexpr RetryPolicy kManyTries{.limit = milliseconds(400),
                                   .first_pause = milliseconds(1),
                                   .longest_pause = milliseconds(10)};
  const auto pod = get_pod_devices(socket_, "default", "a", kManyTries);
  ASSERT_TRUE(test::has_error(pod, Code::kBusy));
  EXPECT_THAT(pod.error().message, HasSubstr("try again later"));
  EXPECT_THAT(pod.error().message, HasSubstr("rejected by rate limit"));
  EXPECT_GT(server_->calls().refused, 3);
}

TEST_F(PodResources, a_burst_of_callers_is_served_in_spite_of_the_rate_limit) {
  constexpr int kCallers = 40;
  server_->refuse_next(kCallers / 2);  // a slow machine may stay below the rate limit
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  std::atomic<int> served{0};
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] { served += get_pod_devices(socket_, "default", "a").ok() ? 1 : 0; });
  }
  for (auto& caller : callers) {
    caller.join();
  }
  EXPECT_EQ(served, kCallers);
  EXPECT_GE(server_->calls().refused, kCallers / 2);
}

TEST_F(PodResources, a_kubelet_that_hangs_is_busy_at_the_limit) {
  server_->set_delay(milliseconds(600));
  const auto before = std::chrono::steady_clock::now();
  EXPECT_ERROR(get_pod_devices(socket_, "default", "a", kShort), Code::kBusy);
  EXPECT_LT(std::chrono::steady_clock::now() - before, milliseconds(500));
}

TEST_F(PodResources, list_gives_every_pod) {
  const auto pods = list_pod_devices(socket_);
  ASSERT_OK(pods);
  EXPECT_THAT(*pods, SizeIs(2));
}

TEST(PodResourcesSocket, that_is_missing_is_busy_and_named) {
  const test::TempDir dir;
  const auto pod = get_pod_devices(dir / "kubelet.sock", "default", "a", kShort);
  ASSERT_TRUE(test::has_error(pod, Code::kBusy));
  EXPECT_THAT(pod.error().message, HasSubstr(dir / "kubelet.sock"));
  EXPECT_THAT(pod.error().message, HasSubstr("No such file"));
}

TEST(PodResourcesSocket, that_appears_while_we_wait_is_used) {
  const test::TempDir dir;
  auto started = FakePodResources::start(dir / "elsewhere.sock");
  ASSERT_OK(started);
  (*started)->set_pods(two_pods());
  std::thread appear([&] {
    std::this_thread::sleep_for(milliseconds(60));  // that it is missing first is the point
    std::filesystem::rename(dir / "elsewhere.sock", dir / "kubelet.sock");
  });
  EXPECT_OK(get_pod_devices(dir / "kubelet.sock", "default", "a"));
  appear.join();
}

TEST(PodResourcesSocket, whose_listener_died_is_busy) {
  const test::TempDir dir;
  std::ofstream(dir / "kubelet.sock") << "";  // connect(2): ECONNREFUSED, as for a dead socket
  EXPECT_ERROR(get_pod_devices(dir / "kubelet.sock", "default", "a", kShort), Code::kBusy);
}

TEST(PodResourcesSocket, with_a_path_too_long_for_a_socket_fails_at_once) {
  EXPECT_ERROR(get_pod_devices("/" + std::string(200, 'x'), "default", "a"), Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::kubelet
