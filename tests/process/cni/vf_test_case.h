// SPDX-License-Identifier: Apache-2.0
// VfTestCase: a test that needs a real VF. The PF whose VFs tests may use is named by the
// environment variable ROCELANE_TEST_PF, so that no machine's VFs are touched by accident; without
// it the test is skipped. softRoce is used, since emulated VFs have no RDMA device of their own.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/process/cni/cni_call.h"
#include "tests/process/cni/pod_sandbox.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {

class VfTestCase : public testing::Test {
 protected:
  void SetUp() override;

  // A NetworkAttachmentDefinition-like configuration for the first VF; `changes` are merged over
  // it.
  [[nodiscard]] std::string conf(const nlohmann::json& changes = {}) const;
  [[nodiscard]] CniCall call(const std::string& command, const PodSandbox& pod,
                             const nlohmann::json& changes = {}) const;
  [[nodiscard]] std::vector<std::string> snapshot() const;

  // An IPAM plugin of the test's own, found on its CNI_PATH: a shell script.
  void write_ipam(const std::string& script) const;

  std::string pf_;
  std::string device_id_;
  TempDir work_;
};

}  // namespace rocelane::test
