// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/device_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "tests/support/fake_kubelet.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::kubelet {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::FakeKubelet;
using testing::HasSubstr;

constexpr const char* kResource = "rdma/roce";

Result<Allocation> allocate_by_name(const std::vector<std::string>& ids) {
  Allocation answer;
  for (const auto& id : ids) {
    if (id == "unknown") {
      return Error::make(Code::kNotFound, "no device " + id);
    }
    answer.cdi_devices.push_back("rocelane.io/roce=" + id);
    answer.envs["IDS"] += id + ";";
  }
  return answer;
}

class DevicePlugin : public testing::Test {
 protected:
  void SetUp() override {
    auto kubelet = FakeKubelet::start(dir_ / "device-plugins");
    ASSERT_OK(kubelet);
    kubelet_ = std::move(*kubelet);
    plugin_ = start(kResource, "roce.sock");
  }

  std::unique_ptr<DevicePluginServer> start(const std::string& resource,
                                            const std::string& socket_name) {
    auto plugin = DevicePluginServer::start(
        {.resource = resource, .plugin_dir = dir_ / "device-plugins", .socket_name = socket_name},
        allocate_by_name);
    EXPECT_OK(plugin);
    return std::move(*plugin);
  }

  bool kubelet_has(const FakeKubelet::List& wanted) {
    return kubelet_->wait_for_list(kResource, [&](const auto& list) { return list == wanted; });
  }

  test::TempDir dir_;
  std::string socket_ = dir_ / "device-plugins/roce.sock";
  std::unique_ptr<FakeKubelet> kubelet_;
  std::unique_ptr<DevicePluginServer> plugin_;
};

TEST_F(DevicePlugin, registers_with_version_and_endpoint) {
  ASSERT_OK(plugin_->register_with_kubelet());
  const auto seen = kubelet_->registrations();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].resource, kResource);
  EXPECT_EQ(seen[0].version, "v1beta1");
  EXPECT_EQ(seen[0].endpoint, "roce.sock");
}

TEST_F(DevicePlugin, sends_a_first_list_even_when_it_is_empty) {
  ASSERT_OK(plugin_->register_with_kubelet());
  EXPECT_TRUE(kubelet_has({}));
}

TEST_F(DevicePlugin, sends_health_and_numa_node_and_lets_a_device_recover) {
  plugin_->publish({{.id = "a", .healthy = true, .numa_node = 1}, {.id = "b"}});
  ASSERT_OK(plugin_->register_with_kubelet());
  EXPECT_TRUE(kubelet_has({{.id = "a", .healthy = true, .numa_node = 1}, {.id = "b"}}));
  plugin_->publish({{.id = "a", .healthy = false, .numa_node = 1}, {.id = "b"}});
  EXPECT_TRUE(kubelet_has({{.id = "a", .healthy = false, .numa_node = 1}, {.id = "b"}}));
  plugin_->publish({{.id = "a", .healthy = true, .numa_node = 1}, {.id = "b"}});
  EXPECT_TRUE(kubelet_has({{.id = "a", .healthy = true, .numa_node = 1}, {.id = "b"}}));
}

TEST_F(DevicePlugin, does_not_repeat_an_unchanged_list) {
  plugin_->publish({{.id = "a"}});
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_TRUE(kubelet_has({{.id = "a"}}));
  plugin_->publish({{.id = "a"}});
  plugin_->publish({{.id = "b"}});
  ASSERT_TRUE(kubelet_has({{.id = "b"}}));
  EXPECT_EQ(kubelet_->lists(kResource), 2);
}

TEST_F(DevicePlugin, serves_several_streams_at_once) {
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_TRUE(kubelet_has({}));
  ASSERT_OK(plugin_->register_with_kubelet());  // the first connection stays open, as in kubelet
  ASSERT_TRUE(kubelet_has({}));
  plugin_->publish({{.id = "a"}});
  ASSERT_TRUE(kubelet_has({{.id = "a"}}));
  EXPECT_EQ(plugin_->open_streams(), 2U);
}

TEST_F(DevicePlugin, allocates_per_container_and_passes_refusals_on) {
  ASSERT_OK(plugin_->register_with_kubelet());
  const auto answer = kubelet_->allocate(kResource, {"a", "b"});
  ASSERT_OK(answer);
  EXPECT_EQ(*answer, (Allocation{.envs = {{"IDS", "a;b;"}},
                                 .cdi_devices = {"rocelane.io/roce=a", "rocelane.io/roce=b"}}));
  const auto refused = kubelet_->allocate(kResource, {"unknown"});
  EXPECT_ERROR(refused, Code::kNotFound);
  EXPECT_THAT(refused.error().message, HasSubstr("no device unknown"));
}

TEST_F(DevicePlugin, says_that_it_has_no_preferred_allocation) {
  ASSERT_OK(plugin_->register_with_kubelet());
  EXPECT_THAT(kubelet_->preferred_allocation(kResource),
              HasSubstr("get_preferred_allocation_available: false"));
}

TEST_F(DevicePlugin, tells_when_kubelet_dropped_its_stream) {
  std::promise<void> ended;
  plugin_->on_stream_end([&] { ended.set_value(); });
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_TRUE(kubelet_has({}));
  kubelet_->drop_stream(kResource);
  ASSERT_EQ(ended.get_future().wait_for(FakeKubelet::kPatience), std::future_status::ready);
  EXPECT_EQ(plugin_->open_streams(), 0U);
}

TEST_F(DevicePlugin, stops_with_a_stream_open_and_removes_its_socket) {
  std::atomic<int> ends{0};
  plugin_->on_stream_end([&] { ++ends; });
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_TRUE(kubelet_has({}));
  const auto before = steady_clock::now();
  plugin_->stop();
  EXPECT_LT(steady_clock::now() - before, milliseconds(1000));
  EXPECT_FALSE(std::filesystem::exists(socket_));
  EXPECT_EQ(ends, 0) << "stop() is not a lost peer";
}

TEST_F(DevicePlugin, stops_though_a_peer_does_not_read_its_stream) {
  FakeKubelet::List many;  // more than HTTP/2's window takes without a reader
  for (int i = 0; i < 200'000; ++i) {
    many.push_back({.id = "device-with-a-rather-long-name-" + std::to_string(i)});
  }
  plugin_->publish(many);
  const test::UnreadStream unread(socket_);
  const auto before = steady_clock::now();
  plugin_->stop();
  EXPECT_LT(steady_clock::now() - before, milliseconds(1000));
}

TEST_F(DevicePlugin, listens_again_after_the_directory_was_wiped) {
  plugin_->publish({{.id = "a"}});
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_TRUE(kubelet_has({{.id = "a"}}));
  auto untouched = plugin_->listen_again_if_gone();
  ASSERT_OK(untouched);
  EXPECT_FALSE(*untouched);
  kubelet_->stop();
  ASSERT_OK(kubelet_->start_again());
  auto bound = plugin_->listen_again_if_gone();
  ASSERT_OK(bound);
  EXPECT_TRUE(*bound);
  ASSERT_OK(plugin_->register_with_kubelet());
  EXPECT_TRUE(kubelet_has({{.id = "a"}}));
}

TEST_F(DevicePlugin, leaves_a_socket_that_another_process_bound) {
  const auto successor = start(kResource, "roce.sock");
  EXPECT_ERROR(plugin_->listen_again_if_gone(), Code::kBusy);
  plugin_->stop();
  EXPECT_TRUE(std::filesystem::exists(socket_));
  successor->publish({{.id = "new"}});
  ASSERT_OK(successor->register_with_kubelet());
  EXPECT_TRUE(kubelet_has({{.id = "new"}}));
}

TEST_F(DevicePlugin, lives_beside_others_in_one_process) {
  const auto other = start("rdma/rail1", "rail1.sock");
  plugin_->publish({{.id = "a"}});
  other->publish({{.id = "b"}});
  ASSERT_OK(plugin_->register_with_kubelet());
  ASSERT_OK(other->register_with_kubelet());
  EXPECT_TRUE(kubelet_has({{.id = "a"}}));
  EXPECT_TRUE(kubelet_->wait_for_list(
      "rdma/rail1", [](const auto& list) { return list == FakeKubelet::List{{.id = "b"}}; }));
}

TEST_F(DevicePlugin, reports_kubelets_refusal_with_its_sentence) {
  kubelet_->refuse("the ResourceName \"rdma/roce\" is invalid");
  const auto refused = plugin_->register_with_kubelet();
  EXPECT_ERROR(refused, Code::kInvalidInput);
  EXPECT_THAT(refused.error().message, HasSubstr("is invalid"));
}

TEST_F(DevicePlugin, does_not_register_while_kubelet_is_away) {
  kubelet_->stop();
  EXPECT_ERROR(plugin_->register_with_kubelet(), Code::kNotFound);
}

}  // namespace
}  // namespace rocelane::kubelet
