// SPDX-License-Identifier: Apache-2.0
// PluginHost: a host as one device plugin sees it, all temporary: sysfs with a PF "ens1f0" and
// three igbvf VFs, state directory, kubelet's directory; and the plugin running there.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/file.h"
#include "tests/support/fake_kubelet.h"
#include "tests/support/fake_sysfs.h"
#include "tests/support/program_under_test.h"
#include "tests/support/result_matchers.h"
#include "tests/support/running_program.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {

class PluginHost : public testing::Test {
 protected:
  static constexpr const char* kResource = "rdma/roce";
  static constexpr std::chrono::seconds kPatience{10};
  static constexpr const char* kSoftPool =
      R"({"resourceList":[{"resourceName":"roce","type":"softRoce",
          "selectors":[{"pfNames":["ens1f0"],"drivers":["igbvf"]}]}]})";

  PluginHost() {
    ROCELANE_CHECK(make_directories(root_ / "state").ok());
    sysfs_.add_function({.address = "0000:01:00.0", .netdev = "ens1f0", .total_vfs = 8});
    for (const int index : {0, 1, 2}) {
      sysfs_.add_vf("0000:01:00.0", index,
                    {.address = vf(index),
                     .driver = "igbvf",
                     .netdev = "vf" + std::to_string(index),
                     .ifindex = 10 + index,
                     .numa_node = index == 0 ? 1 : -1});
    }
  }

  static std::string vf(int index) { return "0000:01:10." + std::to_string(2 * index); }

  [[nodiscard]] std::string plugins() const { return root_ / "device-plugins"; }
  [[nodiscard]] std::string config() const { return root_ / "state/config.json"; }
  void write_config(std::string_view text) const {
    ASSERT_OK(write_file_atomic(config(), text, Durability::kRename));
  }

  void start_kubelet() {
    auto started = FakeKubelet::start(plugins());
    ASSERT_OK(started);
    kubelet_ = std::move(*started);
  }
  [[nodiscard]] std::vector<std::string> flags() const {
    return {"--config", config(),      "--plugin-dir", plugins(),
            "--sysfs",  sysfs_.root(), "--state-dir",  root_ / "state"};
  }
  static std::string program() { return program_under_test(ROCE_DEVICE_PLUGIN); }
  void start_plugin() { plugin_ = std::make_unique<RunningProgram>(program(), flags()); }
  void start_both() {
    write_config(kSoftPool);
    start_kubelet();
    start_plugin();
  }

  // Whether kubelet comes to hold exactly these VFs, those in `unhealthy` Unhealthy.
  bool kubelet_lists(const std::vector<int>& vfs, const std::vector<int>& unhealthy = {},
                     const std::string& resource = kResource) {
    FakeKubelet::List wanted;
    for (const int index : vfs) {
      const bool bad = std::count(unhealthy.begin(), unhealthy.end(), index) != 0;
      wanted.push_back({.id = vf(index), .healthy = !bad, .numa_node = {}});
      if (index == 0) {
        wanted.back().numa_node = 1;
      }
    }
    return kubelet_->wait_for_list(resource, [&](const auto& list) { return list == wanted; });
  }

  TempDir root_;
  FakeSysfs sysfs_;
  std::unique_ptr<FakeKubelet> kubelet_;
  std::unique_ptr<RunningProgram> plugin_;
};

}  // namespace rocelane::test
