// SPDX-License-Identifier: Apache-2.0
// The built agent running in directories of its own. What it does to real VFs is the lab's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/process/node-agent/agent_host.h"
#include "tests/support/running_program.h"

namespace rocelane {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;
using testing::Not;

// Half of the agent's period: what takes longer was not seen by an event.
constexpr milliseconds kByEvent{5'000};
constexpr milliseconds kStart{20'000};
constexpr milliseconds kPrompt{2'000};

constexpr const char* kGoodConfig = R"({
  "resourceList":[{"resourcePrefix":"rdma","resourceName":"roce","type":"softRoce","network":"train",
                   "selectors":[{"pfNames":["absent0"]}]}],
  "networks":[{"name":"train","vlan":100,
               "ipam":{"type":"host-local","subnet":"10.56.0.0/16","blockSize":28}}],
  "fabric":{"ports":[{"pfNames":["absent0"],"numVfs":4}]}})";
constexpr const char* kBadConfig = R"({"resourceList":[{"resourceName":"roce","colour":"red"}]})";

class Run : public testing::Test {
 protected:
  test::RunningProgram& start(const std::vector<std::string>& more = {}) {
    agent_.emplace(host_.program(), host_.flags(more));
    return *agent_;
  }

  test::AgentHost host_;
  std::optional<test::RunningProgram> agent_;
};

TEST_F(Run, renders_the_configuration_and_reports_a_missing_pf_without_stopping) {
  host_.publish_config(kGoodConfig);
  auto& agent = start();
  EXPECT_TRUE(agent.says("configuration in force", kStart)) << agent.said();
  EXPECT_TRUE(agent.says("absent0", kByEvent)) << agent.said();
  EXPECT_THAT(host_.read("state/config.json"), HasSubstr("rangeStart"));
  EXPECT_EQ(agent.exits(milliseconds(200)), std::nullopt) << "a missing PF is waited for";
}

TEST_F(Run, bad_configuration_is_refused_by_place_and_a_better_one_taken_without_a_restart) {
  host_.publish_config(kBadConfig);
  auto& agent = start();
  EXPECT_TRUE(agent.says("$.resourceList[0].colour", kStart)) << agent.said();
  EXPECT_EQ(host_.read("state/config.json"), "");
  host_.publish_config(kGoodConfig);
  EXPECT_TRUE(agent.says("configuration in force", kByEvent)) << agent.said();

  const auto rendered = host_.read("state/config.json");
  host_.publish_config(kBadConfig);
  EXPECT_TRUE(agent.says("the last good one stays in force", kByEvent)) << agent.said();
  EXPECT_EQ(host_.read("state/config.json"), rendered);
}

TEST_F(Run, missing_configuration_is_waited_for) {
  auto& agent = start();
  EXPECT_TRUE(agent.says("config.json", kStart)) << agent.said();
  host_.publish_config(kGoodConfig);
  EXPECT_TRUE(agent.says("configuration in force", kByEvent)) << agent.said();
}

TEST_F(Run, entry_follows_the_network_that_comes_later_and_returns_when_taken_out) {
  host_.publish_config(kGoodConfig);
  auto& agent = start();
  EXPECT_TRUE(agent.says("waiting for a primary CNI network", kStart)) << agent.said();
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  EXPECT_TRUE(agent.says("CNI entry added", kByEvent)) << agent.said();
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  EXPECT_TRUE(agent.says("CNI entry added", kByEvent)) << agent.said();
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), HasSubstr("roce-cni"));
}

TEST_F(Run, uninstall_holds_although_the_agent_runs_on_and_a_new_start_ends_it) {
  host_.publish_config(kGoodConfig);
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  auto& agent = start();
  ASSERT_TRUE(agent.says("CNI entry added", kStart)) << agent.said();
  EXPECT_EQ(host_.call({"uninstall"}).exit_code, 0);
  EXPECT_TRUE(agent.says("stays out", kByEvent)) << agent.said();
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.exits(kPrompt), 0) << agent.said();
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), Not(HasSubstr("roce-cni")));
  EXPECT_EQ(host_.read("bin/roce-cni"), "");

  EXPECT_TRUE(start().says("CNI entry added", kStart));
  EXPECT_NE(host_.read("bin/roce-cni"), "");
}

TEST_F(Run, program_that_somebody_removed_is_back_before_the_entry_names_it) {
  host_.publish_config(kGoodConfig);
  auto& agent = start();
  ASSERT_TRUE(agent.says("waiting for a primary CNI network", kStart)) << agent.said();
  std::filesystem::remove(host_.path("bin/roce-cni"));
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  EXPECT_TRUE(agent.says("program installed", kByEvent)) << agent.said();
  EXPECT_TRUE(agent.says("CNI entry added", kByEvent)) << agent.said();
}

TEST_F(Run, two_writers_of_one_file_are_told_apart_and_slowed_down) {
  host_.publish_config(kGoodConfig);
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  auto& agent = start();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(agent.says("CNI entry added", kStart)) << i << agent.said();
    if (i < 9) {
      host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
    }
  }
  EXPECT_TRUE(agent.says("somebody keeps taking the CNI entry out", kByEvent)) << agent.said();
  EXPECT_TRUE(agent.says("10-k8s.conflist", kByEvent)) << agent.said();
}

TEST_F(Run, sigterm_ends_promptly_and_removes_nothing) {
  host_.publish_config(kGoodConfig);
  host_.write("net.d/10-k8s.conflist", test::AgentHost::kProviders);
  auto& agent = start();
  ASSERT_TRUE(agent.says("CNI entry added", kStart)) << agent.said();
  agent.signal(SIGTERM);
  EXPECT_EQ(agent.exits(kPrompt), 0) << agent.said();
  EXPECT_THAT(host_.read("net.d/10-k8s.conflist"), HasSubstr("roce-cni"));
  EXPECT_NE(host_.read("bin/roce-cni"), "");
  EXPECT_NE(host_.read("state/bin/roce-oci-hook"), "");
}

TEST_F(Run, without_a_node_name_it_does_not_start) {
  auto flags = host_.flags();
  flags.resize(flags.size() - 2);
  agent_.emplace(host_.program(), flags);
  EXPECT_EQ(agent_->exits(kStart), 2);
  EXPECT_THAT(agent_->said(), HasSubstr("NODE_NAME"));
  agent_.emplace(host_.program(), flags, std::vector<std::string>{"NODE_NAME=node7"});
  EXPECT_TRUE(agent_->says("node7", kStart)) << agent_->said();
}

TEST_F(Run, image_without_programs_ends_it_with_their_name) {
  std::filesystem::remove(host_.path("image/roce-oci-hook"));
  auto& agent = start();
  EXPECT_EQ(agent.exits(kStart), 1);
  EXPECT_THAT(agent.said(), HasSubstr("image/roce-oci-hook"));
}

}  // namespace
}  // namespace rocelane
