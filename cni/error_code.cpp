// SPDX-License-Identifier: Apache-2.0
#include "cni/error_code.h"

#include <fmt/format.h>

namespace rocelane::cni_plugin {

namespace {

cni::ErrorCode code_of(const attachment::Failure& failure) {
  using cni::ErrorCode;
  const auto code = failure.error.code;
  if (code == Code::kBusy || failure.step == "lock") {
    return ErrorCode::kTryAgainLater;
  }
  if (failure.step == "netns") {
    return ErrorCode::kInvalidNetns;
  }
  if (code == Code::kInvalidInput) {
    return ErrorCode::kInvalidConfig;
  }
  if (failure.step == "ipam") {
    return ErrorCode::kIpam;
  }
  if (failure.step == "device" || failure.step == "gid") {
    return ErrorCode::kDevice;
  }
  if (failure.step == "record" || failure.step == "cdi-spec" || failure.step == "ready") {
    return ErrorCode::kIo;
  }
  return ErrorCode::kKernel;
}

}  // namespace

cni::CniError to_cni_error(const attachment::Plan& plan, const attachment::Failure& failure) {
  return {.code = code_of(failure),
          .message = fmt::format("attaching {} ({}) to pod {}/{}: step {}: {}", plan.device_id,
                                 plan.resource.empty() ? plan.cni_network_name : plan.resource,
                                 plan.pod.ns, plan.pod.name, failure.step, failure.error.message),
          .details = {}};
}

}  // namespace rocelane::cni_plugin
