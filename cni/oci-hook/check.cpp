// SPDX-License-Identifier: Apache-2.0
#include "cni/oci-hook/check.h"

#include <fmt/format.h>

namespace rocelane::hook {

namespace {

constexpr std::string_view kDeviceDirectory = "/dev/infiniband/";

Error differs(std::string_view what, std::string_view have, std::string_view want) {
  return Error::make(Code::kInvalidInput, fmt::format("{} is {}, want {}", what, have, want));
}

Result<void> check_device_node(const state::RdmaRef& rdma, const cni::OciConfig& container) {
  const auto path = std::string(kDeviceDirectory) + rdma.chardev;
  const auto* node = rdma.chardev.empty() ? nullptr : container.find_device(path);
  if (node == nullptr) {
    return Error::make(Code::kInvalidInput, fmt::format("the container has no {}", path));
  }
  if (node->major != rdma.major || node->minor != rdma.minor) {
    return differs("the container's " + path, fmt::format("{}:{}", node->major, node->minor),
                   fmt::format("{}:{}", rdma.major, rdma.minor));
  }
  return {};
}

std::string pod_of(const state::Record* record, const cni::OciConfig& container) {
  if (record != nullptr) {
    return record->pod.ns + "/" + record->pod.name;
  }
  return container.pod_name.empty() ? "unknown"
                                    : container.pod_namespace + "/" + container.pod_name;
}

}  // namespace

Result<void> check_attachment(const state::Record& record, const Options& options,
                              const cni::OciConfig& container) {
  if (record.device_id != options.device_id) {
    return differs("the record's device", record.device_id, options.device_id);
  }
  if (record.generation != options.generation) {
    return differs("the record's generation", record.generation, options.generation);
  }
  if (record.phase != state::Phase::kReady) {
    return differs("the attachment's phase", to_string(record.phase),
                   to_string(state::Phase::kReady));
  }
  // A sandbox that was built without our CNI entry finds the spec of the pod that had the device
  // before it, consistent in itself.
  if (!container.sandbox_id.empty() && container.sandbox_id != record.container_id) {
    return differs("the container's sandbox", container.sandbox_id, record.container_id);
  }
  return check_device_node(record.rdma, container);
}

std::string refusal(const Options& options, const state::Record* record,
                    const cni::OciConfig& container, const Error& reason) {
  return fmt::format(
      "pod {}, device {}: {}; delete the pod so that it is attached again (record {})",
      pod_of(record, container), options.device_id, reason.message, options.record_path);
}

}  // namespace rocelane::hook
