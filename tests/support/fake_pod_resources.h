// SPDX-License-Identifier: Apache-2.0
// FakePodResources: kubelet's PodResources service on a socket of the test's choice, with the
// answers of kubelet 1.34: its sentences and status codes, and its rate limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/kubelet/pod_resources.h"

namespace rocelane::test {

class FakePodResources {
 public:
  enum class GetMode {
    kServed,
    kDisabled,       // the gate is off: UNKNOWN "PodResources API Get method disabled"
    kUnimplemented,  // a kubelet before 1.27
  };

  // Listens at `socket`; the directory must exist.
  static Result<std::unique_ptr<FakePodResources>> start(const std::string& socket);
  FakePodResources(const FakePodResources&) = delete;
  FakePodResources& operator=(const FakePodResources&) = delete;
  FakePodResources(FakePodResources&&) = delete;
  FakePodResources& operator=(FakePodResources&&) = delete;
  ~FakePodResources();

  void set_pods(std::vector<kubelet::PodDevices> pods);
  void set_get(GetMode mode);
  void set_rate_limited(bool limited);  // on at first: 100 calls/s, burst 10
  void set_delay(std::chrono::milliseconds delay);
  // The next `count` calls are refused as past the rate limit, whatever their rate.
  void refuse_next(int count);

  struct Calls {
    int list = 0;
    int get = 0;
    int refused = 0;  // counted in list and get too
  };
  [[nodiscard]] Calls calls() const;

 private:
  struct Inner;
  explicit FakePodResources(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

// [{"namespace": "default", "name": "a", "containers": [{"name": "c",
//   "devices": {"rdma/roce": ["0000:01:10.0"]},
//   "claims": [{"claim": "x", "driver": "d", "pool": "p", "device": "0000:01:10.0"}]}]}]
Result<std::vector<kubelet::PodDevices>> parse_pods(const std::string& text);

}  // namespace rocelane::test
