// SPDX-License-Identifier: Apache-2.0
// What a pod without RDMA pays for the chained entry: roce-cni against /bin/true, in turns, with a
// fake kubelet that answers at once. Prints medians and the difference pair by pair.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "lib/base/subprocess.h"
#include "tests/support/fake_pod_resources.h"
#include "tests/support/temp_dir.h"

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

constexpr int kRounds = 300;
constexpr int kWarmUp = 20;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double run(const rocelane::Subprocess& request) {
  const auto begin = std::chrono::steady_clock::now();
  const auto outcome = rocelane::run_subprocess(request);
  const Milliseconds span = std::chrono::steady_clock::now() - begin;
  ROCELANE_CHECK(outcome.ok());
  ROCELANE_CHECK(outcome->exit_code == 0);
  return span.count();
}

rocelane::Subprocess plugin_call(const rocelane::test::TempDir& work) {
  return {.path = ROCE_CNI_PROGRAM,
          .arguments = {},
          .environment = {"CNI_COMMAND=ADD", "CNI_CONTAINERID=c1", "CNI_NETNS=/proc/self/ns/net",
                          "CNI_IFNAME=eth0", "CNI_PATH=/opt/cni/bin",
                          "CNI_ARGS=K8S_POD_NAMESPACE=default;K8S_POD_NAME=a"},
          .input = R"({"cniVersion":"1.0.0","name":"podnet","type":"roce-cni","configFile":")" +
                   (work / "config.json") + R"(","stateDir":")" + (work / "state") +
                   R"(","podResourcesSocket":")" + (work / "kubelet.sock") +
                   R"(","prevResult":{"cniVersion":"1.0.0","interfaces":[],"ips":[],"dns":{}}})"};
}

}  // namespace

int main() {
  const rocelane::test::TempDir work;
  std::ofstream(work / "config.json")
      << R"({"resourceList":[{"resourceName":"roce","network":"train"}],"networks":[{"name":"train"}]})";
  auto kubelet = rocelane::test::FakePodResources::start(work / "kubelet.sock");
  ROCELANE_CHECK(kubelet.ok());
  (*kubelet)->set_rate_limited(false);
  (*kubelet)->set_pods({{.name = "a", .ns = "default", .devices = {}, .claims = {}}});

  const auto plugin = plugin_call(work);
  const rocelane::Subprocess nothing{
      .path = "/bin/true", .arguments = {}, .environment = {}, .input = plugin.input};
  std::vector<double> with;
  std::vector<double> without;
  std::vector<double> difference;
  for (int round = -kWarmUp; round < kRounds; ++round) {
    const double a = run(nothing);
    const double b = run(plugin);
    if (round >= 0) {
      without.push_back(a);
      with.push_back(b);
      difference.push_back(b - a);
    }
  }
  std::printf(
      "pass-through of a pod without RDMA, %d pairs: /bin/true %.2f ms, roce-cni %.2f ms, "
      "difference %.2f ms (medians)\n",
      kRounds, median(without), median(with), median(difference));
  return 0;
}
