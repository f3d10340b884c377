// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "tests/process/device-plugin/plugin_host.h"

namespace rocelane::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

// A bound for a loaded or emulated machine; the figure itself is printed.
constexpr milliseconds kBackWithin{2000};

std::size_t count_entries(const std::string& directory) {
  std::error_code problem;
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(directory, problem),
                    std::filesystem::directory_iterator()));
}

class PluginAndKubelet : public PluginHost {
 protected:
  void SetUp() override { start_both(); }

  [[nodiscard]] std::string proc(const std::string& name) const {
    return "/proc/" + std::to_string(plugin_->pid()) + "/" + name;
  }
};

TEST_F(PluginAndKubelet, register_and_the_first_list_is_complete) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  const auto seen = kubelet_->registrations();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].resource, kResource);
  EXPECT_EQ(seen[0].version, "v1beta1");
  EXPECT_EQ(seen[0].endpoint, "rocelane-rdma_roce.sock");
  EXPECT_EQ(kubelet_->lists(kResource), 1);
}

TEST_F(PluginAndKubelet, allocate_by_cdi_name_alone) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  const auto answer = kubelet_->allocate(kResource, {vf(2), vf(0)});
  ASSERT_OK(answer);
  EXPECT_EQ(*answer, (kubelet::Allocation{.envs = {},
                                          .cdi_devices = {"rocelane.io/roce=0000:01:10.4",
                                                          "rocelane.io/roce=0000:01:10.0"}}));
}

TEST_F(PluginAndKubelet, refuse_a_device_that_is_not_listed) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  const auto answer = kubelet_->allocate(kResource, {"0000:99:00.0"});
  ASSERT_TRUE(has_error(answer, Code::kNotFound));
  EXPECT_THAT(answer.error().message, HasSubstr("rdma/roce has no device 0000:99:00.0"));
}

TEST_F(PluginAndKubelet, are_together_again_after_each_of_100_restarts) {
  constexpr int kRestarts = 100;
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  std::vector<milliseconds::rep> taken;
  std::size_t threads = 0;
  std::size_t descriptors = 0;
  for (int round = 1; round <= kRestarts; ++round) {
    kubelet_->stop();
    const auto before = FakeKubelet::Clock::now();
    ASSERT_OK(kubelet_->start_again());
    ASSERT_TRUE(kubelet_->wait_for_registrations(static_cast<std::size_t>(round) + 1));
    ASSERT_TRUE(kubelet_lists({0, 1, 2}));
    taken.push_back(
        std::chrono::duration_cast<milliseconds>(FakeKubelet::Clock::now() - before).count());
    ASSERT_TRUE(plugin_->says("registered with kubelet", kPatience));
    if (round == kRestarts / 10) {  // after gRPC has made the threads it wants
      threads = count_entries(proc("task"));
      descriptors = count_entries(proc("fd"));
    }
  }
  std::sort(taken.begin(), taken.end());
  RecordProperty("median_ms", std::to_string(taken[kRestarts / 2]));
  RecordProperty("longest_ms", std::to_string(taken.back()));
  std::printf("registered again: median %ld ms, longest %ld ms; %zu threads, %zu descriptors\n",
              taken[kRestarts / 2], taken.back(), threads, descriptors);
  // A busy machine may keep one of the three processes waiting now and then.
  EXPECT_LE(taken[kRestarts - 3], kBackWithin.count());
  EXPECT_LE(taken.back(), 10 * kBackWithin.count());
  // gRPC's own pools breathe by a few threads; a leak would be one or more per restart.
  EXPECT_LE(count_entries(proc("task")), threads + kRestarts / 10);
  EXPECT_LE(count_entries(proc("fd")), descriptors + 2);
}

TEST_F(PluginAndKubelet, are_together_again_when_the_stream_breaks) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  const auto before = FakeKubelet::Clock::now();
  kubelet_->drop_stream(kResource);
  ASSERT_TRUE(kubelet_->wait_for_registrations(2));
  EXPECT_LT(FakeKubelet::Clock::now() - before, milliseconds(500));
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginAndKubelet, are_together_again_when_kubelet_was_away_for_long) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  kubelet_->stop();
  ASSERT_TRUE(plugin_->says("not registered with kubelet", kPatience));
  ASSERT_OK(kubelet_->start_again());
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginAndKubelet, bind_the_plugins_socket_again_when_only_that_was_removed) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  std::filesystem::remove(plugins() + "/rocelane-rdma_roce.sock");
  ASSERT_TRUE(plugin_->says("is bound again", kPatience));
  EXPECT_EQ(kubelet_->registrations().size(), 1U);
  kubelet_->drop_stream(kResource);
  EXPECT_TRUE(kubelet_->wait_for_registrations(2));
}

TEST_F(PluginAndKubelet, hand_over_to_a_successor_that_starts_before_the_old_one_ends) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  RunningProgram successor(program(), flags());
  ASSERT_TRUE(successor.says("registered with kubelet", kPatience));
  plugin_->signal(SIGTERM);
  ASSERT_EQ(plugin_->exits(kPatience), 0);
  // Kubelet closes the newer connection in the older one's place; the successor comes back.
  ASSERT_TRUE(successor.says("registered with kubelet", kPatience));
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
  EXPECT_TRUE(std::filesystem::exists(plugins() + "/rocelane-rdma_roce.sock"));
}

TEST_F(PluginAndKubelet, part_within_a_second_with_a_stream_open) {
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  const auto before = FakeKubelet::Clock::now();
  plugin_->signal(SIGTERM);
  EXPECT_EQ(plugin_->exits(kPatience), 0);
  EXPECT_LT(FakeKubelet::Clock::now() - before, milliseconds(1000));
  EXPECT_FALSE(std::filesystem::exists(plugins() + "/rocelane-rdma_roce.sock"));
}

TEST_F(PluginHost, starts_before_kubelets_directory_exists) {
  write_config(kSoftPool);
  start_plugin();
  ASSERT_TRUE(plugin_->says("cannot be watched", kPatience));
  start_kubelet();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginHost, ends_at_once_while_kubelet_is_away) {
  write_config(kSoftPool);
  ASSERT_OK(make_directories(plugins()));
  start_plugin();
  ASSERT_TRUE(plugin_->says("not registered with kubelet", kPatience));
  plugin_->signal(SIGTERM);
  EXPECT_EQ(plugin_->exits(milliseconds(1000)), 0);
}

}  // namespace
}  // namespace rocelane::test
