// SPDX-License-Identifier: Apache-2.0
#include "tests/process/cni/vf_test_case.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "lib/rdma/function.h"
#include "lib/sysfs/sysfs.h"
#include "tests/process/cni/host_snapshot.h"
#include "tests/support/result_matchers.h"

namespace rocelane::test {

namespace {

// Gives 10.99.0.<n> with n from a counter, so that two attachments never share an address.
constexpr auto kIpam = R"(#!/bin/sh
cat > /dev/null
[ "$CNI_COMMAND" = ADD ] || exit 0
n=$(cat "$(dirname "$0")/next" 2>/dev/null || echo 1)
echo $((n % 250 + 1)) > "$(dirname "$0")/next"
echo '{"cniVersion":"1.0.0","ips":[{"address":"10.99.0.'$n'/24"}],"routes":[{"dst":"10.98.0.0/16"}]}'
)";

}  // namespace

void VfTestCase::SetUp() {
  const char* pf = std::getenv("ROCELANE_TEST_PF");  // NOLINT(concurrency-mt-unsafe): one thread
  if (pf == nullptr) {
    GTEST_SKIP() << "no PF for tests is named (ROCELANE_TEST_PF)";
  }
  pf_ = pf;
  auto sysfs = sysfs::Sysfs::open("/sys");
  ASSERT_OK(sysfs);
  const auto address = rdma::function_of_netdev(*sysfs, pf_);
  ASSERT_OK(address);
  ASSERT_TRUE(address->has_value()) << pf_ << " is not a PCI function";
  const auto vfs = rdma::list_vfs(*sysfs, **address);
  ASSERT_OK(vfs);
  ASSERT_FALSE(vfs->empty()) << pf_ << " has no VFs";
  device_id_ = vfs->front().to_string();
  std::filesystem::create_directories(work_ / "bin");
  write_ipam(kIpam);
}

std::string VfTestCase::conf(const nlohmann::json& changes) const {
  nlohmann::json document{{"cniVersion", "1.0.0"},
                          {"name", "test"},
                          {"type", "roce-cni"},
                          {"deviceID", device_id_},
                          {"deviceType", "softRoce"},
                          {"vlan", 100},
                          {"ipam", {{"type", "test-ipam"}}},
                          {"stateDir", work_ / "state"},
                          {"cdiDir", work_ / "cdi"},
                          {"configFile", work_ / "config.json"},
                          {"ociHook", "/usr/bin/true"}};
  document.update(changes.is_null() ? nlohmann::json::object() : changes);
  return document.dump();
}

CniCall VfTestCase::call(const std::string& command, const PodSandbox& pod,
                         const nlohmann::json& changes) const {
  return {
      .command = command,
      .environment = {{"CNI_CONTAINERID", pod.container_id()},
                      {"CNI_NETNS", pod.path()},
                      {"CNI_IFNAME", "net1"},
                      {"CNI_PATH", work_ / "bin"},
                      {"CNI_ARGS", "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod-" +
                                       pod.container_id()}},
      .input = conf(changes),
      .through = {}};
}

std::vector<std::string> VfTestCase::snapshot() const {
  return host_snapshot({work_ / "state", work_ / "cdi"});
}

void VfTestCase::write_ipam(const std::string& script) const {
  const auto path = work_ / "bin/test-ipam";
  std::ofstream(path) << script;
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace rocelane::test
