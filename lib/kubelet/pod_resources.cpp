// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/pod_resources.h"

#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <proto/pod_resources.grpc.pb.h>

#include <algorithm>
#include <random>
#include <thread>

#include "lib/base/deadline.h"
#include "lib/kubelet/channel.h"

namespace rocelane::kubelet {

namespace {

using Milliseconds = std::chrono::milliseconds;

// One List of a node with hundreds of pods takes kubelet some ten milliseconds.
constexpr Milliseconds kListTimeout{5'000};

// What a try gets at least: cut to a few milliseconds it would end as DEADLINE_EXCEEDED and hide
// why kubelet does not answer.
constexpr Milliseconds kLeastTry{100};

// Both are bare errors in kubelet 1.34 (pkg/kubelet/apis/podresources/server_v1.go), which gRPC
// sends as UNKNOWN: only the sentence tells them apart.
constexpr std::string_view kGetDisabled = "Get method disabled";
constexpr std::string_view kPodNotFound = " not found";

void append_devices(const v1::ContainerResources& container, PodDevices& pod) {
  for (const auto& part : container.devices()) {
    auto found = std::find_if(pod.devices.begin(), pod.devices.end(), [&](const auto& known) {
      return known.container == container.name() && known.resource == part.resource_name();
    });
    if (found == pod.devices.end()) {
      found = pod.devices.insert(
          pod.devices.end(),
          {.container = container.name(), .resource = part.resource_name(), .device_ids = {}});
    }
    found->device_ids.insert(found->device_ids.end(), part.device_ids().begin(),
                             part.device_ids().end());
  }
}

void append_claims(const v1::ContainerResources& container, PodDevices& pod) {
  for (const auto& claim : container.dynamic_resources()) {
    for (const auto& device : claim.claim_resources()) {
      auto& added =
          pod.claims.emplace_back(ClaimedDevice{.container = container.name(),
                                                .claim_namespace = claim.claim_namespace(),
                                                .claim = claim.claim_name(),
                                                .driver = device.driver_name(),
                                                .pool = device.pool_name(),
                                                .device = device.device_name(),
                                                .cdi_devices = {}});
      for (const auto& cdi : device.cdi_devices()) {
        added.cdi_devices.push_back(cdi.name());
      }
    }
  }
}

PodDevices parse_pod(const v1::PodResources& resources) {
  PodDevices pod{
      .name = resources.name(), .ns = resources.namespace_(), .devices = {}, .claims = {}};
  for (const auto& container : resources.containers()) {
    append_devices(container, pod);
    append_claims(container, pod);
  }
  for (auto& entry : pod.devices) {
    std::sort(entry.device_ids.begin(), entry.device_ids.end());
  }
  return pod;
}

using Stub = v1::PodResourcesLister::Stub;

Result<v1::ListPodResourcesResponse> list(Stub& stub, Milliseconds limit) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + limit);
  v1::ListPodResourcesResponse response;
  const auto status = stub.List(&context, {}, &response);
  if (!status.ok()) {
    return error_from_status(status, "PodResources List");
  }
  return response;
}

Error get_error(const grpc::Status& status) {
  auto error = error_from_status(status, "PodResources Get");
  const std::string sentence = status.error_message();
  if (status.error_code() == grpc::StatusCode::UNKNOWN) {
    if (sentence.find(kGetDisabled) != std::string::npos) {
      error.code = Code::kUnsupported;
    } else if (std::string_view(sentence).ends_with(kPodNotFound)) {
      error.code = Code::kNotFound;
    }
  }
  return error;
}

struct PodName {
  std::string ns;
  std::string name;
};

Result<PodDevices> get(Stub& stub, const PodName& pod, Milliseconds limit) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + limit);
  v1::GetPodResourcesRequest request;
  request.set_pod_namespace(pod.ns);
  request.set_pod_name(pod.name);
  v1::GetPodResourcesResponse response;
  const auto status = stub.Get(&context, request, &response);
  if (!status.ok()) {
    return get_error(status);
  }
  if (!response.has_pod_resources()) {
    return Error::make(Code::kIo, "PodResources Get: an answer without a pod");
  }
  return parse_pod(response.pod_resources());
}

Result<PodDevices> find_in_list(Stub& stub, const PodName& pod, Milliseconds limit) {
  ROCELANE_ASSIGN_OR_RETURN(const auto response, list(stub, limit));
  for (const auto& entry : response.pod_resources()) {
    if (entry.namespace_() == pod.ns && entry.name() == pod.name) {
      return parse_pod(entry);
    }
  }
  return Error::make(Code::kNotFound, fmt::format("PodResources List: kubelet knows no pod {}/{}",
                                                  pod.ns, pod.name));
}

class PodQuery {
 public:
  PodQuery(const std::string& socket, PodName pod) : socket_(socket), pod_(std::move(pod)) {}

  Result<PodDevices> try_once(Milliseconds limit) {
    ROCELANE_ASSIGN_OR_RETURN(const auto channel, connect_channel(socket_));
    Stub stub(channel);
    if (!get_missing_) {
      auto answer = get(stub, pod_, limit);
      if (answer.ok() || answer.error().code != Code::kUnsupported) {
        return answer;
      }
      get_missing_ = true;
    }
    return find_in_list(stub, pod_, limit);
  }

 private:
  const std::string& socket_;
  PodName pod_;
  bool get_missing_ = false;
};

// Half to one and a half of the pause: callers that were refused together must not come back
// together.
Milliseconds with_jitter(Milliseconds pause) {
  static thread_local std::minstd_rand random{std::random_device{}()};
  const auto span = pause.count();
  return Milliseconds(span / 2 + std::uniform_int_distribution<Milliseconds::rep>(0, span)(random));
}

// The socket file is missing while kubelet starts.
bool may_pass(const Error& error, bool connected) {
  return error.code == Code::kBusy || (!connected && error.code == Code::kNotFound);
}

}  // namespace

Result<PodDevices> get_pod_devices(const std::string& socket, std::string_view pod_namespace,
                                   std::string_view pod_name, const RetryPolicy& policy) {
  PodQuery query(socket, {.ns = std::string(pod_namespace), .name = std::string(pod_name)});
  const auto deadline = Deadline::after(policy.limit);
  auto pause = policy.first_pause;
  for (int tries = 1;; ++tries) {
    auto answer = query.try_once(std::max(deadline.left(), kLeastTry));
    // A missing socket carries ENOENT, a pod kubelet does not know has no errno.
    if (answer.ok() || !may_pass(answer.error(), answer.error().sys_errno == 0)) {
      return answer;
    }
    const auto wait = with_jitter(pause);
    if (wait >= deadline.left()) {
      return Error{.code = Code::kBusy,
                   .sys_errno = answer.error().sys_errno,
                   .message = fmt::format("kubelet did not tell which devices pod {}/{} holds ({} "
                                          "tries in {} ms), try again later: {}",
                                          pod_namespace, pod_name, tries, policy.limit.count(),
                                          answer.error().message)};
    }
    std::this_thread::sleep_for(wait);
    pause = std::min(pause * 2, policy.longest_pause);
  }
}

Result<std::vector<PodDevices>> list_pod_devices(const std::string& socket) {
  ROCELANE_ASSIGN_OR_RETURN(const auto channel, connect_channel(socket));
  Stub stub(channel);
  ROCELANE_ASSIGN_OR_RETURN(const auto response, list(stub, kListTimeout));
  std::vector<PodDevices> pods;
  for (const auto& entry : response.pod_resources()) {
    pods.push_back(parse_pod(entry));
  }
  return pods;
}

}  // namespace rocelane::kubelet
