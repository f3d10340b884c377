// SPDX-License-Identifier: Apache-2.0
// The chained entry on pods that hold no device, and when kubelet does not answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/process/cni/cni_call.h"
#include "tests/process/cni/pod_sandbox.h"
#include "tests/support/fake_pod_resources.h"
#include "tests/support/result_matchers.h"

namespace rocelane::test {
namespace {

using testing::HasSubstr;

constexpr auto kPrevResult =
    R"({"cniVersion":"1.0.0","interfaces":[{"name":"eth0","sandbox":"/x"}],"ips":[{"address":"10.244.0.5/24","interface":0}],"dns":{}})";

constexpr auto kConfig =
    R"({"resourceList":[{"resourcePrefix":"rdma","resourceName":"roce","type":"softRoce",
  "network":"train","selectors":[{"pfNames":["ens1f0"]}]}],
  "networks":[{"name":"train","vlan":100}]})";

class PassThrough : public testing::Test {
 protected:
  void write_config(const std::string& text) const { std::ofstream(work_ / "config.json") << text; }

  void start_kubelet(std::vector<kubelet::PodDevices> pods) {
    auto started = FakePodResources::start(work_ / "kubelet.sock");
    ASSERT_OK(started);
    kubelet_ = std::move(*started);
    kubelet_->set_pods(std::move(pods));
  }

  [[nodiscard]] CniCall call(const std::string& command, const std::string& version = "1.0.0",
                             const std::string& extra = "") const {
    std::string input =
        R"({"cniVersion":")" + version +
        R"(","name":"podnet","type":"roce-cni","capabilities":{"io.kubernetes.cri.pod-annotations":true},)" +
        R"("configFile":")" + (work_ / "config.json") + R"(","stateDir":")" + (work_ / "state") +
        R"(","cdiDir":")" + (work_ / "cdi") + R"(","podResourcesSocket":")" +
        (work_ / "kubelet.sock") + '"' + extra;
    if (command == "ADD" || command == "CHECK") {
      input += std::string(R"(,"prevResult":)") + kPrevResult;
    }
    return {.command = command,
            .environment = {{"CNI_CONTAINERID", "c1"},
                            {"CNI_NETNS", "/proc/self/ns/net"},
                            {"CNI_IFNAME", "eth0"},
                            {"CNI_PATH", "/opt/cni/bin"},
                            {"CNI_ARGS", "K8S_POD_NAMESPACE=default;K8S_POD_NAME=a"}},
            .input = input + "}",
            .through = {}};
  }

  TempDir work_;
  std::unique_ptr<FakePodResources> kubelet_;
};

TEST_F(PassThrough, prev_result_of_a_pod_without_devices_goes_out_byte_for_byte) {
  write_config(kConfig);
  start_kubelet({{.name = "a", .ns = "default", .devices = {}, .claims = {}}});
  for (const auto* version : {"0.3.1", "0.4.0", "1.0.0", "1.1.0"}) {
    const auto answer = call_cni(call("ADD", version));
    EXPECT_EQ(answer.exit_code, 0) << answer.output << answer.log;
    EXPECT_EQ(answer.output, kPrevResult);
  }
  EXPECT_EQ(kubelet_->calls().get, 4);
}

TEST_F(PassThrough, kubelet_is_not_asked_where_nothing_is_chained) {
  start_kubelet({});
  EXPECT_EQ(call_cni(call("ADD")).output, kPrevResult);  // no configuration yet
  write_config(R"({"resourceList":[],"networks":[]})");
  EXPECT_EQ(call_cni(call("ADD")).output, kPrevResult);
  EXPECT_EQ(kubelet_->calls().get + kubelet_->calls().list, 0);
}

TEST_F(PassThrough, a_pod_with_devices_of_other_resources_passes) {
  write_config(kConfig);
  start_kubelet(
      {{.name = "a",
        .ns = "default",
        .devices = {{.container = "c", .resource = "nvidia.com/gpu", .device_ids = {"GPU-1"}}},
        .claims = {}}});
  EXPECT_EQ(call_cni(call("ADD")).output, kPrevResult);
}

TEST_F(PassThrough, a_kubelet_that_is_away_is_try_again_later_and_never_no_devices) {
  write_config(kConfig);
  const auto answer = call_cni(call("ADD"));
  EXPECT_EQ(answer.exit_code, 1);
  EXPECT_EQ(answer.code(), 11) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("default/a"));
}

TEST_F(PassThrough, a_pod_kubelet_does_not_know_is_not_taken_for_one_without_devices) {
  write_config(kConfig);
  start_kubelet({});
  EXPECT_EQ(call_cni(call("ADD")).code(), 11);
}

TEST_F(PassThrough, a_refused_query_is_tried_again) {
  write_config(kConfig);
  start_kubelet({{.name = "a", .ns = "default", .devices = {}, .claims = {}}});
  kubelet_->refuse_next(3);
  const auto answer = call_cni(call("ADD"));
  EXPECT_EQ(answer.output, kPrevResult) << answer.log;
  EXPECT_EQ(kubelet_->calls().refused, 3);
}

TEST_F(PassThrough, a_broken_configuration_stops_only_pods_that_hold_devices) {
  write_config(R"({"resourceList":[{"resourceName":"roce","selectrs":[]}]})");
  start_kubelet({{.name = "a", .ns = "default", .devices = {}, .claims = {}}});
  EXPECT_EQ(call_cni(call("ADD")).output, kPrevResult);
  kubelet_->set_pods(
      {{.name = "a",
        .ns = "default",
        .devices = {{.container = "c", .resource = "rdma/roce", .device_ids = {"0000:01:10.0"}}},
        .claims = {}}});
  const auto answer = call_cni(call("ADD"));
  EXPECT_EQ(answer.code(), 7) << answer.output;
  EXPECT_THAT(answer.message(), HasSubstr("$.resourceList[0].selectrs"));
}

TEST_F(PassThrough, del_check_gc_and_status_succeed_on_a_node_that_has_nothing) {
  for (const auto* command : {"DEL", "CHECK", "GC", "STATUS"}) {
    const bool is_gc = std::string_view(command) == "GC";
    const auto answer =
        call_cni(call(command, "1.1.0", is_gc ? R"(,"cni.dev/valid-attachments":[])" : ""));
    EXPECT_EQ(answer.exit_code, 0) << command << answer.output << answer.log;
  }
}

TEST_F(PassThrough, del_of_a_damaged_record_still_exits_0) {
  const auto name = work_ / "state/attachments/c1-roce0.json";
  std::filesystem::create_directories(work_ / "state/attachments");
  for (const auto* content : {"", "{", R"({"version":99})", "null"}) {
    std::ofstream(name) << content;
    const auto answer = call_cni(call("DEL"));
    EXPECT_EQ(answer.exit_code, 0) << content << answer.output;
    EXPECT_THAT(answer.log, HasSubstr(name)) << content;
    EXPECT_TRUE(std::filesystem::exists(name))
        << "the only trace of a device must not be thrown away";
  }
}

TEST_F(PassThrough, versions_are_answered) {
  const auto answer = call_cni({.command = "VERSION",
                                .environment = {},
                                .input = R"({"cniVersion":"1.0.0"})",
                                .through = {}});
  EXPECT_EQ(answer.json()["supportedVersions"],
            nlohmann::json::parse(R"(["0.3.1","0.4.0","1.0.0","1.1.0"])"));
}

}  // namespace
}  // namespace rocelane::test
