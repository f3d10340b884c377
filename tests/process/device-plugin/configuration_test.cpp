// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "lib/base/subprocess.h"
#include "tests/process/device-plugin/plugin_host.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

constexpr const char* kWrongKey =
    R"({"resourceList":[{"resourceName":"roce","selectors":[{"pfName":["ens1f0"]}]}]})";

using PluginConfiguration = PluginHost;

TEST_F(PluginConfiguration, is_waited_for) {
  start_kubelet();
  start_plugin();
  ASSERT_TRUE(plugin_->says("no configuration yet, waiting for it", kPatience));
  write_config(kSoftPool);
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginConfiguration, is_waited_for_when_even_its_directory_is_missing) {
  std::filesystem::remove_all(root_ / "state");
  start_kubelet();
  start_plugin();
  ASSERT_TRUE(plugin_->says("cannot be watched", kPatience));
  ASSERT_OK(make_directories(root_ / "state"));
  write_config(kSoftPool);
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginConfiguration, that_is_wrong_is_named_with_file_and_path_and_is_no_crash) {
  write_config(kWrongKey);
  start_kubelet();
  start_plugin();
  ASSERT_TRUE(plugin_->says("$.resourceList[0].selectors[0].pfName", kPatience));
  EXPECT_THAT(plugin_->said(), HasSubstr(config()));
  write_config(kSoftPool);
  EXPECT_TRUE(kubelet_lists({0, 1, 2}));
}

TEST_F(PluginConfiguration, that_becomes_wrong_leaves_the_last_good_one_in_force) {
  start_both();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  write_config(kWrongKey);
  ASSERT_TRUE(plugin_->says("keeping the last good one", kPatience));
  EXPECT_OK(kubelet_->allocate(kResource, {vf(0)}));
}

TEST_F(PluginConfiguration, that_is_removed_leaves_the_last_good_one_in_force) {
  start_both();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  std::filesystem::remove(config());
  ASSERT_TRUE(plugin_->says("keeping the last good one", kPatience));
  EXPECT_OK(kubelet_->allocate(kResource, {vf(0)}));
}

TEST_F(PluginConfiguration, that_is_replaced_changes_the_list) {
  start_both();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  write_config(R"({"resourceList":[{"resourceName":"roce","type":"softRoce",
                   "selectors":[{"pfNames":["ens1f0#1-2"]}]}]})");
  EXPECT_TRUE(kubelet_lists({1, 2}));
  EXPECT_EQ(kubelet_->registrations().size(), 1U);
}

TEST_F(PluginConfiguration, that_is_swapped_in_a_config_map_volume_changes_the_list) {
  const auto publish = [this](const std::string& version, std::string_view text) {
    ASSERT_OK(make_directories(root_ / "state/" + version));
    ASSERT_OK(
        write_file_atomic(root_ / "state/" + version + "/config.json", text, Durability::kRename));
    std::filesystem::create_symlink(version, root_ / "state/..data_tmp");
    std::filesystem::rename(root_ / "state/..data_tmp", root_ / "state/..data");
  };
  publish("..v1", kSoftPool);
  std::filesystem::create_symlink("..data/config.json", config());
  start_kubelet();
  start_plugin();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  publish("..v2", R"({"resourceList":[{"resourceName":"roce","type":"softRoce",
                      "selectors":[{"pfNames":["ens1f0#0"]}]}]})");
  EXPECT_TRUE(kubelet_lists({0}));
}

TEST_F(PluginConfiguration, may_gain_and_lose_pools) {
  start_both();
  ASSERT_TRUE(kubelet_lists({0, 1, 2}));
  write_config(R"({"resourceList":[
      {"resourceName":"a","type":"softRoce","selectors":[{"pfNames":["ens1f0#0"]}]},
      {"resourceName":"b","type":"softRoce","selectors":[{"pfNames":["ens1f0"]}]}]})");
  EXPECT_TRUE(kubelet_lists({0}, {}, "rdma/a"));
  EXPECT_TRUE(kubelet_lists({1, 2}, {}, "rdma/b"));
  EXPECT_FALSE(std::filesystem::exists(plugins() + "/rocelane-rdma_roce.sock"));
  EXPECT_ERROR(kubelet_->allocate(kResource, {vf(0)}), Code::kNotFound);
}

TEST_F(PluginConfiguration, of_a_pool_that_matches_nothing_is_zero_devices_and_the_plugin_stays) {
  write_config(
      R"({"resourceList":[{"resourceName":"roce","selectors":[{"pfNames":["nosuch"]}]}]})");
  start_kubelet();
  start_plugin();
  ASSERT_TRUE(kubelet_lists({}));
  plugin_->signal(SIGTERM);
  EXPECT_EQ(plugin_->exits(kPatience), 0);
}

TEST_F(PluginConfiguration, is_checked_on_demand) {
  write_config(R"({"resourceList":[{"resourceName":"roce","type":"none"}],"network":[]})");
  const auto check = [this] {
    auto arguments = flags();
    arguments.emplace_back("--check-config");
    auto outcome =
        run_subprocess({.path = program(), .arguments = arguments, .environment = {}, .input = {}});
    EXPECT_OK(outcome);
    return std::move(outcome).value_or({});
  };
  const auto wrong = check();
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_THAT(wrong.error_output, HasSubstr("$.resourceList[0].type"));
  EXPECT_THAT(wrong.error_output, HasSubstr("$.network"));
  write_config(kSoftPool);
  EXPECT_EQ(check().exit_code, 0);
  std::filesystem::remove(config());
  EXPECT_EQ(check().exit_code, 1);
}

}  // namespace
}  // namespace rocelane::test
