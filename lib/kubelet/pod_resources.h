// SPDX-License-Identifier: Apache-2.0
// Which devices a pod holds, asked from kubelet's PodResources socket (k8s.io/kubelet
// pkg/apis/podresources/v1). gRPC types stay inside. Thread: any, one call at a time per object.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::kubelet {

struct ContainerDevices {
  std::string container;
  std::string resource;  // "rdma/roce"
  std::vector<std::string> device_ids;

  bool operator==(const ContainerDevices&) const = default;
};

struct PodDevices {
  std::string name;
  std::string ns;
  std::vector<ContainerDevices> devices;

  bool operator==(const PodDevices&) const = default;
};

struct RetryPolicy {
  // kubelet answers ResourceExhausted past 100 calls/s for all its clients together.
  std::chrono::milliseconds limit{10'000};
  std::chrono::milliseconds first_pause{20};
  std::chrono::milliseconds longest_pause{500};
};

// Get where this kubelet has it (1.34 and up, or the gate), List else. Tried again with jitter
// while kubelet is away or limits the rate; past policy.limit kBusy ("try again later"). A pod
// kubelet does not know: kNotFound, never an empty answer.
Result<PodDevices> get_pod_devices(const std::string& socket, std::string_view pod_namespace,
                                   std::string_view pod_name, const RetryPolicy& policy = {});
// Every pod kubelet knows, one try.
Result<std::vector<PodDevices>> list_pod_devices(const std::string& socket);

}  // namespace rocelane::kubelet
