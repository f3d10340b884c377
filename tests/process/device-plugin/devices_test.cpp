// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "lib/base/deadline.h"
#include "lib/state/store.h"
#include "tests/process/device-plugin/plugin_host.h"
#include "tests/support/sample_record.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

// A fake sysfs sends no uevents: SIGHUP stands for one.
class PluginDevices : public PluginHost {
 protected:
  void SetUp() override {
    start_both();
    ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  }
  void rescan() const { plugin_->signal(SIGHUP); }
  [[nodiscard]] std::string report() const {
    return read_file(root_ / "state/devices.json").value_or("");
  }
};

TEST_F(PluginDevices, that_lose_their_driver_are_unhealthy_until_it_is_back) {
  sysfs_.unbind(vf(1), "igbvf");
  rescan();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}, {1}));
  ASSERT_TRUE(plugin_->says("device unhealthy device=" + vf(1), kPatience));
  sysfs_.bind(vf(1), "igbvf");
  rescan();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
  EXPECT_TRUE(plugin_->says("device healthy again device=" + vf(1), kPatience));
}

TEST_F(PluginDevices, that_are_inside_a_pod_stay_healthy) {
  auto store = state::Store::open(root_ / "state");
  ASSERT_OK(store);
  auto record = sample_record();
  record.device_id = vf(2);
  const auto boot_id = state::read_boot_id();
  ASSERT_OK(boot_id);
  record.boot_id = *boot_id;
  ASSERT_OK(store->save(record));
  sysfs_.remove_netdev(vf(2), "vf2");
  sysfs_.unbind(vf(0), "igbvf");  // something to wait for
  rescan();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}, {0}));
}

TEST_F(PluginDevices, whose_netdev_is_lost_without_a_record_are_unhealthy) {
  sysfs_.remove_netdev(vf(2), "vf2");
  rescan();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}, {2}));
}

TEST_F(PluginDevices, that_are_unplugged_leave_the_list) {
  sysfs_.remove(FakeSysfs::directory_of("0000:01:00.0") + "/virtfn2");
  sysfs_.remove("bus/pci/devices/" + vf(2));
  rescan();
  EXPECT_TRUE(kubelet_lists({0, 1}));
}

TEST_F(PluginDevices, are_reported_to_the_agent_with_the_reason) {
  EXPECT_THAT(report(), HasSubstr(R"("version": 1)"));
  sysfs_.unbind(vf(1), "igbvf");
  rescan();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}, {1}));
  const auto deadline = Deadline::after(kPatience);
  while (report().find("no driver is bound") == std::string::npos && !deadline.passed()) {
    std::this_thread::yield();
  }
  EXPECT_THAT(report(), HasSubstr("no driver is bound"));
}

TEST_F(PluginHost, lists_vfs_without_rdma_device_unhealthy_in_an_sriov_pool) {
  write_config(
      R"({"resourceList":[{"resourceName":"roce","selectors":[{"pfNames":["ens1f0"]}]}]})");
  start_kubelet();
  start_plugin();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}, {0, 1, 2}));
  EXPECT_TRUE(plugin_->says("driver igbvf has made no RDMA device", kPatience));
}

TEST_F(PluginHost, runs_without_a_writable_state_directory) {
  write_config(kSoftPool);
  std::filesystem::create_directories(root_ / "state/devices.json/x");  // rename(2) onto it fails
  start_kubelet();
  start_plugin();
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
  EXPECT_TRUE(plugin_->says("the agent will not see", kPatience));
}

}  // namespace
}  // namespace rocelane::test
