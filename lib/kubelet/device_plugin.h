// SPDX-License-Identifier: Apache-2.0
// A device plugin's side of kubelet's protocol (k8s.io/kubelet pkg/apis/deviceplugin/v1beta1): the
// gRPC server of one resource, its registration, and the watch for a kubelet that came back. gRPC
// types stay inside.
//
// Threads: gRPC's own threads only read the last published list; publish() may be called from any
// thread. stop() wakes every open ListAndWatch, so it returns in well under a second.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::kubelet {

struct Device {
  std::string id;  // at most 63 characters
  bool healthy = true;
  std::optional<std::int64_t> numa_node;

  bool operator==(const Device&) const = default;
};

// The answer for one container of an Allocate call.
struct Allocation {
  std::map<std::string, std::string> envs;
  std::vector<std::string> cdi_devices;  // "rocelane.io/roce=0000:01:10.0"

  bool operator==(const Allocation&) const = default;
};

// Device IDs of one container -> what it gets. Called on a gRPC thread. An error refuses the pod's
// admission with its message.
using Allocator = std::function<Result<Allocation>(const std::vector<std::string>& device_ids)>;

struct PluginOptions {
  std::string resource;     // "rdma/roce"
  std::string plugin_dir;   // kubelet's device-plugins directory: its socket and ours
  std::string socket_name;  // ours: "rocelane-rdma_roce.sock"
};

class DevicePluginServer {
 public:
  // Binds the socket (a stale file is replaced) and serves; not registered yet.
  static Result<std::unique_ptr<DevicePluginServer>> start(PluginOptions options,
                                                           Allocator allocator);
  DevicePluginServer(const DevicePluginServer&) = delete;
  DevicePluginServer& operator=(const DevicePluginServer&) = delete;
  ~DevicePluginServer();

  // The whole list, again after every change; the same list twice sends nothing.
  void publish(std::vector<Device> devices);
  // One try. kNotFound/kIo: kubelet is away; kInvalidInput: it refused, with its sentence.
  Result<void> register_with_kubelet();
  // Streams kubelet holds now; 0 after a registration means that it must be repeated.
  [[nodiscard]] std::size_t open_streams() const;
  // Told on a gRPC thread when a stream of kubelet ended for whatever reason but stop().
  void on_stream_end(std::function<void()> callback);
  void stop();

 private:
  struct Inner;
  explicit DevicePluginServer(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace rocelane::kubelet
