// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_kubelet.h"

#include <grpcpp/client_context.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <proto/device_plugin.grpc.pb.h>

#include <condition_variable>
#include <filesystem>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "lib/base/file.h"
#include "lib/kubelet/channel.h"
#include "lib/kubelet/listener.h"

namespace rocelane::test {

namespace {

FakeKubelet::List decode(const v1beta1::ListAndWatchResponse& response) {
  FakeKubelet::List devices;
  for (const auto& entry : response.devices()) {
    auto& device = devices.emplace_back();
    device.id = entry.id();
    device.healthy = entry.health() == "Healthy";
    if (entry.topology().nodes_size() > 0) {
      device.numa_node = entry.topology().nodes(0).id();
    }
  }
  return devices;
}

// Kubelet's connection to one registered plugin. Members are guarded by the owner's mutex except
// those made before the thread starts.
struct Client {
  std::string resource;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<v1beta1::DevicePlugin::Stub> stub;
  grpc::ClientContext context;
  std::optional<FakeKubelet::List> list;
  std::thread thread;
};

}  // namespace

struct FakeKubelet::Inner : public v1beta1::Registration::Service {
  explicit Inner(std::string given) : dir(std::move(given)) {}

  const std::string dir;
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  std::string refusal;
  int refusals = 0;
  std::vector<Registration> accepted;
  std::map<std::string, int> list_counts;
  std::list<std::shared_ptr<Client>> clients;              // all whose thread is not joined
  std::map<std::string, std::shared_ptr<Client>> current;  // one slot per resource
  std::unique_ptr<grpc::Server> server;
  std::unique_ptr<kubelet::Listener> listener;

  Result<void> serve() {
    std::error_code ignored;
    ROCELANE_RETURN_IF_ERROR(make_directories(dir));
    for (const auto& entry : std::filesystem::directory_iterator(dir, ignored)) {
      std::filesystem::remove_all(entry.path(), ignored);
    }
    grpc::ServerBuilder builder;
    builder.RegisterService(this);
    server = builder.BuildAndStart();
    ROCELANE_ASSIGN_OR_RETURN(listener, kubelet::Listener::start(dir + "/kubelet.sock", *server));
    return {};
  }

  void stop() {
    listener.reset();
    if (server != nullptr) {
      server->Shutdown(std::chrono::system_clock::now());
      server->Wait();
    }
    std::list<std::shared_ptr<Client>> ending;
    {
      const std::lock_guard lock(mutex);
      ending.swap(clients);
      for (const auto& client : ending) {
        client->context.TryCancel();
      }
    }
    for (const auto& client : ending) {
      client->thread.join();
    }
  }

  grpc::Status Register(grpc::ServerContext* /*context*/, const v1beta1::RegisterRequest* request,
                        v1beta1::Empty* /*response*/) override {
    {
      const std::lock_guard lock(mutex);
      if (!refusal.empty()) {
        ++refusals;
        changed.notify_all();
        return {grpc::StatusCode::UNKNOWN, refusal};
      }
    }
    auto client = std::make_shared<Client>();
    client->resource = request->resource_name();
    auto channel = kubelet::connect_channel(dir + "/" + request->endpoint());
    if (!channel.ok()) {
      return {grpc::StatusCode::UNKNOWN,
              "failed to dial device plugin: " + channel.error().message};
    }
    client->channel = *channel;
    client->stub = v1beta1::DevicePlugin::NewStub(client->channel);
    if (const auto status = ask_options(*client); !status.ok()) {
      return {grpc::StatusCode::UNKNOWN,
              "failed to get device plugin options: " + status.error_message()};
    }
    const std::lock_guard lock(mutex);
    current[client->resource] = client;
    accepted.push_back({.resource = client->resource,
                        .endpoint = request->endpoint(),
                        .version = request->version(),
                        .at = Clock::now()});
    client->thread = std::thread([this, client] { run(*client); });
    clients.push_back(client);
    changed.notify_all();
    return grpc::Status::OK;
  }

  static grpc::Status ask_options(Client& client) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kPatience);
    v1beta1::DevicePluginOptions options;
    return client.stub->GetDevicePluginOptions(&context, {}, &options);
  }

  void run(Client& client) {
    const auto stream = client.stub->ListAndWatch(&client.context, {});
    v1beta1::ListAndWatchResponse response;
    while (stream->Read(&response)) {
      const std::lock_guard lock(mutex);
      client.list = decode(response);
      ++list_counts[client.resource];
      changed.notify_all();
    }
    (void)stream->Finish();
    const std::lock_guard lock(mutex);
    // As kubelet does: whoever holds the resource's slot now is disconnected, be it a newer client.
    if (const auto holder = current.find(client.resource); holder != current.end()) {
      holder->second->context.TryCancel();
      current.erase(holder);
    }
    changed.notify_all();
  }

  // With the mutex held.
  [[nodiscard]] std::shared_ptr<Client> find(const std::string& resource) const {
    const auto found = current.find(resource);
    return found == current.end() ? nullptr : found->second;
  }
};

FakeKubelet::FakeKubelet(std::unique_ptr<Inner> inner) : inner_(std::move(inner)) {}
FakeKubelet::~FakeKubelet() { inner_->stop(); }

Result<std::unique_ptr<FakeKubelet>> FakeKubelet::start(const std::string& plugin_dir) {
  auto inner = std::make_unique<Inner>(plugin_dir);
  ROCELANE_RETURN_IF_ERROR(inner->serve());
  return std::unique_ptr<FakeKubelet>(new FakeKubelet(std::move(inner)));
}

void FakeKubelet::stop() { inner_->stop(); }
Result<void> FakeKubelet::start_again() { return inner_->serve(); }

void FakeKubelet::refuse(std::string sentence) {
  const std::lock_guard lock(inner_->mutex);
  inner_->refusal = std::move(sentence);
}

void FakeKubelet::drop_stream(const std::string& resource) {
  const std::lock_guard lock(inner_->mutex);
  if (const auto client = inner_->find(resource); client != nullptr) {
    client->context.TryCancel();
  }
}

std::vector<FakeKubelet::Registration> FakeKubelet::registrations() const {
  const std::lock_guard lock(inner_->mutex);
  return inner_->accepted;
}

int FakeKubelet::refused() const {
  const std::lock_guard lock(inner_->mutex);
  return inner_->refusals;
}

int FakeKubelet::lists(const std::string& resource) const {
  const std::lock_guard lock(inner_->mutex);
  const auto found = inner_->list_counts.find(resource);
  return found == inner_->list_counts.end() ? 0 : found->second;
}

bool FakeKubelet::wait_for_registrations(std::size_t count) const {
  std::unique_lock lock(inner_->mutex);
  return inner_->changed.wait_for(lock, kPatience,
                                  [&] { return inner_->accepted.size() >= count; });
}

bool FakeKubelet::wait_for_refusals(int count) const {
  std::unique_lock lock(inner_->mutex);
  return inner_->changed.wait_for(lock, kPatience, [&] { return inner_->refusals >= count; });
}

bool FakeKubelet::wait_for_list(const std::string& resource,
                                const std::function<bool(const List&)>& wanted) const {
  std::unique_lock lock(inner_->mutex);
  return inner_->changed.wait_for(lock, kPatience, [&] {
    const auto client = inner_->find(resource);
    return client != nullptr && client->list && wanted(*client->list);
  });
}

std::optional<FakeKubelet::List> FakeKubelet::list(const std::string& resource) const {
  const std::lock_guard lock(inner_->mutex);
  const auto client = inner_->find(resource);
  return client == nullptr ? std::nullopt : client->list;
}

Result<kubelet::Allocation> FakeKubelet::allocate(const std::string& resource,
                                                  const std::vector<std::string>& ids) const {
  std::unique_lock lock(inner_->mutex);
  const auto client = inner_->find(resource);
  lock.unlock();
  if (client == nullptr) {
    return Error::make(Code::kNotFound, "unknown Device Plugin " + resource);
  }
  v1beta1::AllocateRequest request;
  request.add_container_requests()->mutable_devices_ids()->Add(ids.begin(), ids.end());
  v1beta1::AllocateResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  const auto status = client->stub->Allocate(&context, request, &response);
  if (!status.ok()) {
    return kubelet::error_from_status(status, "Allocate");
  }
  if (response.container_responses_size() != 1) {
    return Error::make(Code::kIo, "not one response per container");
  }
  const auto& answer = response.container_responses(0);
  if (answer.mounts_size() + answer.devices_size() + static_cast<int>(answer.annotations_size()) >
      0) {
    return Error::make(Code::kIo, "mounts, device nodes or annotations in the answer");
  }
  kubelet::Allocation allocation;
  allocation.envs.insert(answer.envs().begin(), answer.envs().end());
  for (const auto& device : answer.cdi_devices()) {
    allocation.cdi_devices.push_back(device.name());
  }
  return allocation;
}

std::string FakeKubelet::preferred_allocation(const std::string& resource) const {
  std::unique_lock lock(inner_->mutex);
  const auto client = inner_->find(resource);
  lock.unlock();
  if (client == nullptr) {
    return "unknown Device Plugin " + resource;
  }
  v1beta1::PreferredAllocationResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  const auto status = client->stub->GetPreferredAllocation(&context, {}, &response);
  return status.ok() ? "OK" : status.error_message();
}

struct UnreadStream::Inner {
  std::shared_ptr<grpc::Channel> channel;
  grpc::ClientContext context;
  std::unique_ptr<v1beta1::DevicePlugin::Stub> stub;
  std::unique_ptr<grpc::ClientReader<v1beta1::ListAndWatchResponse>> stream;
};

UnreadStream::UnreadStream(const std::string& plugin_socket) : inner_(std::make_unique<Inner>()) {
  auto channel = kubelet::connect_channel(plugin_socket);
  ROCELANE_CHECK(channel.ok());
  inner_->channel = std::move(*channel);
  inner_->stub = v1beta1::DevicePlugin::NewStub(inner_->channel);
  inner_->stream = inner_->stub->ListAndWatch(&inner_->context, {});
  inner_->stream->WaitForInitialMetadata();
}

UnreadStream::~UnreadStream() = default;

}  // namespace rocelane::test
