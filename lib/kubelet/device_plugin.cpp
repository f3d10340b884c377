// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/device_plugin.h"

#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <proto/device_plugin.grpc.pb.h>

#include <chrono>
#include <mutex>

#include "lib/base/scope_guard.h"
#include "lib/kubelet/channel.h"
#include "lib/kubelet/listener.h"
#include "lib/kubelet/watch_streams.h"

namespace rocelane::kubelet {

namespace {

constexpr const char* kVersion = "v1beta1";

// Kubelet dials us from within Register and gives itself 10 s for it (devicemanager
// plugin/v1beta1/client.go).
constexpr std::chrono::seconds kRegisterTimeout{11};

// Calls still running when the plugin stops: an Allocate takes well under a millisecond. Then also
// a stream whose peer does not read is cut.
constexpr std::chrono::milliseconds kShutdownTimeout{500};

WatchStreams::List encode(const std::vector<Device>& devices) {
  auto list = std::make_shared<v1beta1::ListAndWatchResponse>();
  for (const auto& device : devices) {
    auto& entry = *list->add_devices();
    entry.set_id(device.id);
    entry.set_health(device.healthy ? "Healthy" : "Unhealthy");
    if (device.numa_node) {
      entry.mutable_topology()->add_nodes()->set_id(*device.numa_node);
    }
  }
  return list;
}

grpc::Status to_status(const Error& error) {
  switch (error.code) {
    case Code::kNotFound:
      return {grpc::StatusCode::NOT_FOUND, error.message};
    case Code::kInvalidInput:
      return {grpc::StatusCode::INVALID_ARGUMENT, error.message};
    case Code::kBusy:
    case Code::kTimeout:
      return {grpc::StatusCode::UNAVAILABLE, error.message};
    default:
      return {grpc::StatusCode::INTERNAL, error.message};
  }
}

class Service final : public v1beta1::DevicePlugin::CallbackService {
 public:
  Service(Allocator allocator, WatchStreams& streams)
      : allocator_(std::move(allocator)), streams_(streams) {}

  grpc::ServerUnaryReactor* GetDevicePluginOptions(
      grpc::CallbackServerContext* context, const v1beta1::Empty* /*request*/,
      v1beta1::DevicePluginOptions* /*response*/) override {
    return finish(context, grpc::Status::OK);  // neither optional call is offered
  }

  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* ListAndWatch(
      grpc::CallbackServerContext* /*context*/, const v1beta1::Empty* /*request*/) override {
    return streams_.open();
  }

  grpc::ServerUnaryReactor* Allocate(grpc::CallbackServerContext* context,
                                     const v1beta1::AllocateRequest* request,
                                     v1beta1::AllocateResponse* response) override {
    for (const auto& container : request->container_requests()) {
      const auto allocation =
          allocator_({container.devices_ids().begin(), container.devices_ids().end()});
      if (!allocation.ok()) {
        return finish(context, to_status(allocation.error()));
      }
      auto& answer = *response->add_container_responses();
      answer.mutable_envs()->insert(allocation->envs.begin(), allocation->envs.end());
      for (const auto& name : allocation->cdi_devices) {
        answer.add_cdi_devices()->set_name(name);
      }
    }
    return finish(context, grpc::Status::OK);
  }

  grpc::ServerUnaryReactor* GetPreferredAllocation(
      grpc::CallbackServerContext* context, const v1beta1::PreferredAllocationRequest* /*request*/,
      v1beta1::PreferredAllocationResponse* /*response*/) override {
    return finish(context, {grpc::StatusCode::UNIMPLEMENTED,
                            "this plugin's options say get_preferred_allocation_available: false"});
  }

  grpc::ServerUnaryReactor* PreStartContainer(
      grpc::CallbackServerContext* context, const v1beta1::PreStartContainerRequest* /*request*/,
      v1beta1::PreStartContainerResponse* /*response*/) override {
    return finish(context, {grpc::StatusCode::UNIMPLEMENTED,
                            "this plugin's options say pre_start_required: false"});
  }

 private:
  static grpc::ServerUnaryReactor* finish(grpc::CallbackServerContext* context,
                                          const grpc::Status& status) {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(status);
    return reactor;
  }

  Allocator allocator_;
  WatchStreams& streams_;
};

}  // namespace

struct DevicePluginServer::Inner {
  Inner(PluginOptions given, Allocator allocator)
      : options(std::move(given)), service(std::move(allocator), streams) {}

  [[nodiscard]] std::string socket_path() const {
    return options.plugin_dir + "/" + options.socket_name;
  }

  const PluginOptions options;
  WatchStreams streams;
  Service service;
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<Listener> listener;  // destroyed before the server it feeds

  std::mutex mutex;
  std::optional<std::vector<Device>> published;
  grpc::ClientContext* registering = nullptr;
  bool stopped = false;
};

DevicePluginServer::DevicePluginServer(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}

DevicePluginServer::~DevicePluginServer() { stop(); }

Result<std::unique_ptr<DevicePluginServer>> DevicePluginServer::start(PluginOptions options,
                                                                      Allocator allocator) {
  auto inner = std::make_unique<Inner>(std::move(options), std::move(allocator));
  grpc::ServerBuilder builder;
  builder.RegisterService(&inner->service);
  inner->server = builder.BuildAndStart();
  if (inner->server == nullptr) {
    return Error::make(Code::kIo,
                       "the gRPC server of " + inner->options.resource + " did not start");
  }
  ROCELANE_ASSIGN_OR_RETURN(inner->listener, Listener::start(inner->socket_path(), *inner->server));
  auto server = std::unique_ptr<DevicePluginServer>(new DevicePluginServer(std::move(inner)));
  server->publish({});
  return server;
}

void DevicePluginServer::publish(std::vector<Device> devices) {
  const std::lock_guard lock(inner_->mutex);
  if (inner_->published != devices) {
    inner_->streams.publish(encode(devices));
    inner_->published = std::move(devices);
  }
}

Result<void> DevicePluginServer::register_with_kubelet() {
  const auto socket = inner_->options.plugin_dir + "/kubelet.sock";
  ROCELANE_ASSIGN_OR_RETURN(const auto channel, connect_channel(socket));
  v1beta1::Registration::Stub stub(channel);
  v1beta1::RegisterRequest request;
  request.set_version(kVersion);
  request.set_endpoint(inner_->options.socket_name);
  request.set_resource_name(inner_->options.resource);
  request.mutable_options();
  v1beta1::Empty response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kRegisterTimeout);
  {
    const std::lock_guard lock(inner_->mutex);
    if (inner_->stopped) {
      return Error::make(Code::kBusy, "the plugin stops");
    }
    inner_->registering = &context;
  }
  const ScopeGuard forget([this] {
    const std::lock_guard lock(inner_->mutex);
    inner_->registering = nullptr;
  });
  const auto status = stub.Register(&context, request, &response);
  if (status.ok()) {
    return {};
  }
  auto error = error_from_status(status, "registering " + inner_->options.resource);
  if (error.code == Code::kIo) {
    error.code = Code::kInvalidInput;  // kubelet's refusals are bare errors: UNKNOWN on the wire
  }
  return error;
}

Result<bool> DevicePluginServer::listen_again_if_gone() {
  switch (inner_->listener->file()) {
    case Listener::File::kOurs:
      return false;
    case Listener::File::kForeign:
      return Error::make(Code::kBusy,
                         fmt::format("another process has bound {}", inner_->socket_path()));
    case Listener::File::kGone:
      break;
  }
  ROCELANE_ASSIGN_OR_RETURN(auto fresh, Listener::start(inner_->socket_path(), *inner_->server));
  inner_->listener = std::move(fresh);
  return true;
}

std::size_t DevicePluginServer::open_streams() const { return inner_->streams.open_streams(); }
std::uint64_t DevicePluginServer::streams_opened() const {
  return inner_->streams.streams_opened();
}

void DevicePluginServer::on_stream_end(std::function<void()> callback) {
  inner_->streams.on_stream_end(std::move(callback));
}

void DevicePluginServer::stop() {
  {
    const std::lock_guard lock(inner_->mutex);
    if (std::exchange(inner_->stopped, true)) {
      return;
    }
    if (inner_->registering != nullptr) {
      inner_->registering->TryCancel();
    }
  }
  inner_->listener.reset();
  inner_->streams.stop();
  inner_->server->Shutdown(std::chrono::system_clock::now() + kShutdownTimeout);
  inner_->server->Wait();
  inner_->streams.join();
}

}  // namespace rocelane::kubelet
