// SPDX-License-Identifier: Apache-2.0
// install and uninstall of the built agent in directories of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "lib/state/store.h"
#include "tests/process/node-agent/agent_host.h"

namespace rocelane {
namespace {

using testing::HasSubstr;
using testing::Not;

class Install : public testing::Test {
 protected:
  void pod_holds_a_device() {
    auto store = state::Store::open(host_.path("state"));
    ASSERT_OK(store);
    state::Record record;
    record.container_id = "c1";
    record.if_name = "roce0";
    record.device_id = "0000:01:10.0";
    record.generation = "g";
    ASSERT_OK(store->save(record));
  }
  bool exists(const std::string& name) { return std::filesystem::exists(host_.path(name)); }

  test::AgentHost host_;
};

TEST_F(Install, places_programs_and_entry_and_the_second_time_says_nothing) {
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  const auto first = host_.call({"install"});
  EXPECT_EQ(first.exit_code, 0) << first.error_output;
  EXPECT_EQ(host_.read("bin/roce-cni"), host_.read("image/roce-cni"));
  EXPECT_EQ(host_.read("state/bin/roce-oci-hook"), host_.read("image/roce-oci-hook"));
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), HasSubstr("roce-cni"));
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), HasSubstr(host_.path("state/config.json")));

  const auto second = host_.call({"install"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(second.error_output, "");
}

TEST_F(Install, without_a_network_yet_is_no_failure) {
  const auto outcome = host_.call({"install"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_THAT(outcome.error_output, HasSubstr("no primary network yet"));
  EXPECT_TRUE(exists("bin/roce-cni"));
}

TEST_F(Install, missing_program_in_the_image_is_named_and_no_entry_is_written) {
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  std::filesystem::remove(host_.path("image/roce-cni"));
  const auto outcome = host_.call({"install"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.error_output, HasSubstr("image/roce-cni"));
  EXPECT_EQ(host_.read("net.d/10-k8s.conflist"), test::AgentHost::kProviders);
}

TEST_F(Install, uninstall_takes_away_what_install_placed) {
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  ASSERT_EQ(host_.call({"install"}).exit_code, 0);
  const auto outcome = host_.call({"uninstall"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_FALSE(exists("bin/roce-cni"));
  EXPECT_FALSE(exists("state/bin/roce-oci-hook"));
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), Not(HasSubstr("roce-cni")));
  EXPECT_EQ(host_.call({"uninstall"}).exit_code, 0) << "idempotent";
}

TEST_F(Install, uninstall_leaves_programs_while_pods_hold_devices) {
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  ASSERT_EQ(host_.call({"install"}).exit_code, 0);
  pod_holds_a_device();
  const auto outcome = host_.call({"uninstall"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
  EXPECT_THAT(outcome.error_output, HasSubstr("programs stay"));
  EXPECT_TRUE(exists("bin/roce-cni"));
  EXPECT_TRUE(exists("state/bin/roce-oci-hook"));
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), Not(HasSubstr("roce-cni")));
}

// A kubelet that starts pods does not wait for an upgrade: every execution in between gets a whole
// program, the old or the new one.
TEST_F(Install, program_that_is_executed_all_the_time_is_replaced_100_times) {
  constexpr int kReplacements = 100;
  std::atomic<bool> stop{false};
  std::atomic<int> executions{0};
  std::vector<std::string> failures;
  // A small program that starts fast; what lies behind its sections is written and not loaded.
  std::filesystem::copy_file("/bin/true", host_.path("image/roce-cni"),
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(host_.path("image/roce-cni"), std::ios::app) << std::string(300'000, 'x');
  ASSERT_EQ(host_.call({"install"}).exit_code, 0);
  std::thread runtime([&] {
    while (!stop) {
      const auto outcome = run_subprocess(
          {.path = host_.path("bin/roce-cni"), .arguments = {}, .environment = {}, .input = ""});
      if (!outcome.ok()) {
        failures.push_back(outcome.error().message);
      } else if (outcome->exit_code != 0) {
        failures.push_back("exit " + std::to_string(outcome->exit_code));
      }
      ++executions;
    }
  });
  for (int i = 0; i < kReplacements; ++i) {
    std::ofstream(host_.path("image/roce-cni"), std::ios::app) << i;
    const auto outcome = host_.call({"install"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.error_output;
    EXPECT_THAT(outcome.error_output, HasSubstr("program installed"));
  }
  stop = true;
  runtime.join();
  EXPECT_THAT(failures, testing::IsEmpty());
  EXPECT_GE(executions, kReplacements / 2);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(host_.path("bin")), {}), 1)
      << "no temporary file is left";
}

TEST_F(Install, check_config_says_what_is_wrong_with_its_place) {
  host_.publish_config(
      R"({"resourceList":[{"resourceName":"roce","selectors":[{"pfName":["x"]}]}]})");
  const auto bad = host_.call({"--check-config"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.error_output, HasSubstr("$.resourceList[0].selectors[0].pfName"));
  host_.publish_config(R"({"resourceList":[]})");
  const auto good = host_.call({"--check-config"});
  EXPECT_EQ(good.exit_code, 0) << good.error_output;
}

TEST_F(Install, wrong_arguments_exit_with_2_or_cli_code_and_say_why) {
  EXPECT_NE(host_.call({"--bogus"}).exit_code, 0);
  EXPECT_NE(host_.call({"install", "--log-level", "loud"}).exit_code, 0);
  EXPECT_NE(host_.call({"--node-label", "novalue"}).exit_code, 0);
}

TEST_F(Install, version_is_printed) {
  const auto outcome = host_.call({"--version"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.output, testing::StartsWith("roce-node-agent "));
}

}  // namespace
}  // namespace rocelane
