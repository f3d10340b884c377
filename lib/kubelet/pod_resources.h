// SPDX-License-Identifier: Apache-2.0
// Which devices a pod holds, asked from kubelet's PodResources socket (k8s.io/kubelet
// pkg/apis/podresources/v1). gRPC types stay inside. Thread: any, every call is on its own.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::kubelet {

// What a device plugin allocated to one container. Kubelet answers per NUMA node; here one entry
// per container and resource.
struct ContainerDevices {
  std::string container;
  std::string resource;                 // "rdma/roce"
  std::vector<std::string> device_ids;  // sorted: kubelet's own order is not stable

  bool operator==(const ContainerDevices&) const = default;
};

// What a DRA driver allocated to one container (dynamic_resources; empty where kubelet's
// KubeletPodResourcesDynamicResources gate is off).
struct ClaimedDevice {
  std::string container;
  std::string claim_namespace;
  std::string claim;
  std::string driver;
  std::string pool;
  std::string device;
  std::vector<std::string> cdi_devices;

  bool operator==(const ClaimedDevice&) const = default;
};

struct PodDevices {
  std::string name;
  std::string ns;
  std::vector<ContainerDevices> devices;
  std::vector<ClaimedDevice> claims;

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
// Every pod kubelet knows, one try. kBusy: kubelet is away or limits the rate.
Result<std::vector<PodDevices>> list_pod_devices(const std::string& socket);

}  // namespace rocelane::kubelet
