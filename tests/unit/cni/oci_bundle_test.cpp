// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/oci_bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/result_matchers.h"

namespace rocelane::cni {
namespace {

using testing::HasSubstr;

TEST(OciState, fields_are_read_and_others_ignored) {
  const auto state = parse_oci_state(
      R"({"ociVersion":"1.2.0","id":"c1","status":"creating","pid":4711,"bundle":"/run/b",
          "annotations":{}})");
  ASSERT_OK(state);
  EXPECT_EQ(*state, (OciState{.id = "c1", .pid = 4711, .bundle = "/run/b"}));
}

TEST(OciState, what_is_missing_or_wrong_is_named) {
  struct Case {
    const char* text;
    const char* named;
  };
  for (const auto& [text, named] :
       {Case{"", "JSON"}, Case{"[]", "object"}, Case{R"({"id":"c","pid":1})", "bundle"},
        Case{R"({"id":"c","bundle":"/b"})", "pid"},
        Case{R"({"id":"c","bundle":"/b","pid":0})", "pid"},
        Case{R"({"id":"c","bundle":"/b","pid":-4})", "pid"},
        Case{R"({"id":"c","bundle":"/b","pid":99999999999})", "pid"},
        Case{R"({"id":"c","bundle":"/b","pid":"7"})", "pid"},
        Case{R"({"id":7,"bundle":"/b","pid":7})", "id"}}) {
    const auto state = parse_oci_state(text);
    ASSERT_TRUE(test::has_error(state, Code::kInvalidInput)) << text;
    EXPECT_THAT(state.error().message, HasSubstr(named)) << text;
  }
}

TEST(OciConfig, devices_are_found_by_path) {
  const auto config = parse_oci_config(
      R"({"linux":{"devices":[{"path":"/dev/fuse","type":"c","major":10,"minor":229},
                              {"path":"/dev/infiniband/uverbs3","type":"c","major":231,"minor":195},
                              {"path":"/dev/fifo","type":"p"}]}})");
  ASSERT_OK(config);
  const auto* device = config->find_device("/dev/infiniband/uverbs3");
  ASSERT_NE(device, nullptr);
  EXPECT_EQ(device->major, 231U);
  EXPECT_EQ(device->minor, 195U);
  EXPECT_EQ(config->find_device("/dev/infiniband/uverbs0"), nullptr);
  EXPECT_FALSE(config->has_memlock_limit);
}

TEST(OciConfig, container_without_linux_section_has_no_devices) {
  const auto config = parse_oci_config("{}");
  ASSERT_OK(config);
  EXPECT_EQ(*config, OciConfig{});
}

TEST(OciConfig, own_memlock_limit_is_seen_among_others) {
  const auto limits = [](const char* types) {
    const auto config = parse_oci_config(std::string(R"({"process":{"rlimits":[)") + types + "]}}");
    EXPECT_OK(config);
    return config.ok() && config->has_memlock_limit;
  };
  EXPECT_TRUE(limits(R"({"type":"RLIMIT_NOFILE"},{"type":"RLIMIT_MEMLOCK","hard":1,"soft":1})"));
  EXPECT_FALSE(limits(R"({"type":"RLIMIT_NOFILE"})"));
  EXPECT_FALSE(limits(""));
}

TEST(OciConfig, pod_and_sandbox_come_from_either_runtimes_annotations) {
  const auto containerd = parse_oci_config(
      R"({"annotations":{"io.kubernetes.cri.sandbox-id":"s1",
          "io.kubernetes.cri.sandbox-namespace":"ns","io.kubernetes.cri.sandbox-name":"pod"}})");
  ASSERT_OK(containerd);
  EXPECT_EQ(containerd->sandbox_id, "s1");
  EXPECT_EQ(containerd->pod_namespace, "ns");
  EXPECT_EQ(containerd->pod_name, "pod");
  const auto crio = parse_oci_config(R"({"annotations":{"io.kubernetes.cri-o.SandboxID":"s2"}})");
  ASSERT_OK(crio);
  EXPECT_EQ(crio->sandbox_id, "s2");
}

TEST(OciConfig, damaged_lists_are_errors) {
  EXPECT_ERROR(parse_oci_config("{"), Code::kInvalidInput);
  EXPECT_ERROR(parse_oci_config(R"({"linux":{"devices":{}}})"), Code::kInvalidInput);
  EXPECT_ERROR(parse_oci_config(R"({"linux":{"devices":[{"major":1}]}})"), Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::cni
