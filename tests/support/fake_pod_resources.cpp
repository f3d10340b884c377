// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_pod_resources.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <proto/pod_resources.grpc.pb.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "lib/kubelet/listener.h"

namespace rocelane::test {

namespace {

// pkg/kubelet/apis/podresources/constants.go
constexpr double kCallsPerSecond = 100;
constexpr double kBurst = 10;

// golang.org/x/time/rate: tokens flow in steadily, each call takes one.
class TokenBucket {
 public:
  bool take() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> since = now - last_;
    last_ = now;
    tokens_ = std::min(kBurst, tokens_ + since.count() * kCallsPerSecond);
    if (tokens_ < 1) {
      return false;
    }
    tokens_ -= 1;
    return true;
  }

 private:
  double tokens_ = kBurst;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void encode(const kubelet::PodDevices& pod, v1::PodResources& out) {
  out.set_name(pod.name);
  out.set_namespace_(pod.ns);
  const auto container_of = [&](const std::string& name) -> v1::ContainerResources& {
    for (auto& known : *out.mutable_containers()) {
      if (known.name() == name) {
        return known;
      }
    }
    out.add_containers()->set_name(name);
    return *out.mutable_containers()->rbegin();
  };
  for (const auto& entry : pod.devices) {
    auto& container = container_of(entry.container);
    // As kubelet does for devices of several NUMA nodes: one entry each, here one per device.
    for (const auto& id : entry.device_ids) {
      auto& devices = *container.add_devices();
      devices.set_resource_name(entry.resource);
      devices.add_device_ids(id);
    }
  }
  for (const auto& claim : pod.claims) {
    auto& resource = *container_of(claim.container).add_dynamic_resources();
    resource.set_claim_name(claim.claim);
    resource.set_claim_namespace(claim.claim_namespace);
    auto& device = *resource.add_claim_resources();
    device.set_driver_name(claim.driver);
    device.set_pool_name(claim.pool);
    device.set_device_name(claim.device);
    for (const auto& name : claim.cdi_devices) {
      device.add_cdi_devices()->set_name(name);
    }
  }
}

}  // namespace

struct FakePodResources::Inner : public v1::PodResourcesLister::Service {
  mutable std::mutex mutex;
  std::vector<kubelet::PodDevices> pods;
  GetMode get_mode = GetMode::kServed;
  bool limited = true;
  std::chrono::milliseconds delay{0};
  int refusals = 0;
  Calls calls;
  TokenBucket bucket;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<kubelet::Listener> listener;

  // With the mutex held; kubelet's interceptor, in front of every method.
  grpc::Status admit() {
    const bool refused = refusals > 0 || (limited && !bucket.take());
    refusals = std::max(refusals - 1, 0);
    if (refused) {
      ++calls.refused;
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "rejected by rate limit"};
    }
    return grpc::Status::OK;
  }

  grpc::Status List(grpc::ServerContext* /*context*/,
                    const v1::ListPodResourcesRequest* /*request*/,
                    v1::ListPodResourcesResponse* response) override {
    std::unique_lock lock(mutex);
    ++calls.list;
    if (auto status = admit(); !status.ok()) {
      return status;
    }
    for (const auto& pod : pods) {
      encode(pod, *response->add_pod_resources());
    }
    return answer_late(lock);
  }

  grpc::Status Get(grpc::ServerContext* /*context*/, const v1::GetPodResourcesRequest* request,
                   v1::GetPodResourcesResponse* response) override {
    std::unique_lock lock(mutex);
    ++calls.get;
    if (auto status = admit(); !status.ok()) {
      return status;
    }
    if (get_mode == GetMode::kUnimplemented) {
      return {grpc::StatusCode::UNIMPLEMENTED, "unknown method Get"};
    }
    if (get_mode == GetMode::kDisabled) {
      return {grpc::StatusCode::UNKNOWN, "PodResources API Get method disabled"};
    }
    const auto found = std::find_if(pods.begin(), pods.end(), [&](const auto& pod) {
      return pod.name == request->pod_name() && pod.ns == request->pod_namespace();
    });
    if (found == pods.end()) {
      return {grpc::StatusCode::UNKNOWN, "pod " + request->pod_name() + " in namespace " +
                                             request->pod_namespace() + " not found"};
    }
    encode(*found, *response->mutable_pod_resources());
    return answer_late(lock);
  }

  grpc::Status answer_late(std::unique_lock<std::mutex>& lock) const {
    const auto wait = delay;
    lock.unlock();
    std::this_thread::sleep_for(wait);
    return grpc::Status::OK;
  }
};

FakePodResources::FakePodResources(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}

FakePodResources::~FakePodResources() {
  inner_->listener.reset();
  inner_->server->Shutdown(std::chrono::system_clock::now());
}

Result<std::unique_ptr<FakePodResources>> FakePodResources::start(const std::string& socket) {
  auto inner = std::make_unique<Inner>();
  grpc::ServerBuilder builder;
  builder.RegisterService(inner.get());
  inner->server = builder.BuildAndStart();
  if (inner->server == nullptr) {
    return Error::make(Code::kIo, "the gRPC server did not start");
  }
  ROCELANE_ASSIGN_OR_RETURN(inner->listener, kubelet::Listener::start(socket, *inner->server));
  return std::unique_ptr<FakePodResources>(new FakePodResources(std::move(inner)));
}

void FakePodResources::set_pods(std::vector<kubelet::PodDevices> pods) {
  const std::lock_guard lock(inner_->mutex);
  inner_->pods = std::move(pods);
}

void FakePodResources::set_get(GetMode mode) {
  const std::lock_guard lock(inner_->mutex);
  inner_->get_mode = mode;
}

void FakePodResources::set_rate_limited(bool limited) {
  const std::lock_guard lock(inner_->mutex);
  inner_->limited = limited;
}

void FakePodResources::set_delay(std::chrono::milliseconds delay) {
  const std::lock_guard lock(inner_->mutex);
  inner_->delay = delay;
}

void FakePodResources::refuse_next(int count) {
  const std::lock_guard lock(inner_->mutex);
  inner_->refusals = count;
}

FakePodResources::Calls FakePodResources::calls() const {
  const std::lock_guard lock(inner_->mutex);
  return inner_->calls;
}

Result<std::vector<kubelet::PodDevices>> parse_pods(const std::string& text) {
  const auto document = nlohmann::json::parse(text, nullptr, false);
  if (!document.is_array()) {
    return Error::make(Code::kInvalidInput, "the pods file is not a JSON list");
  }
  std::vector<kubelet::PodDevices> pods;
  for (const auto& entry : document) {
    auto& pod = pods.emplace_back();
    pod.ns = entry.value("namespace", "default");
    pod.name = entry.value("name", "");
    for (const auto& container : entry.value("containers", nlohmann::json::array())) {
      const std::string name = container.value("name", "");
      const auto devices = container.value("devices", nlohmann::json::object());
      for (const auto& [resource, ids] : devices.items()) {
        pod.devices.push_back({.container = name, .resource = resource, .device_ids = ids});
      }
      for (const auto& claim : container.value("claims", nlohmann::json::array())) {
        pod.claims.push_back({.container = name,
                              .claim_namespace = pod.ns,
                              .claim = claim.value("claim", ""),
                              .driver = claim.value("driver", ""),
                              .pool = claim.value("pool", ""),
                              .device = claim.value("device", ""),
                              .cdi_devices = claim.value("cdi", std::vector<std::string>{})});
      }
    }
  }
  return pods;
}

}  // namespace rocelane::test
