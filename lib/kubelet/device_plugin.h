// SPDX-License-Identifier: Apache-2.0
// A device plugin's side of kubelet's protocol (k8s.io/kubelet pkg/apis/deviceplugin/v1beta1): the
// gRPC server of one resource, its registration, and the watch for a kubelet that came back. gRPC
// types stay inside.
//
// Threads: any, unless said otherwise below. gRPC's own threads only read the last published list.
// stop() wakes every open ListAndWatch, so it returns in well under a second.
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
  DevicePluginServer(DevicePluginServer&&) = delete;
  DevicePluginServer& operator=(DevicePluginServer&&) = delete;
  ~DevicePluginServer();

  // The whole list, again after every change; the same list twice sends nothing.
  void publish(std::vector<Device> devices);
  // One try; kubelet calls back before it answers, so it may take as long as kubelet does. stop()
  // ends it. kNotFound/kBusy: kubelet is away; kInvalidInput: it refused, with its sentence.
  Result<void> register_with_kubelet();
  // Kubelet wipes its directory when it starts: binds again when our socket file is gone (true);
  // the open connections are not touched. kBusy: another process (the next version of this
  // program) has bound the path, which is then left alone. Not concurrently with itself or stop().
  Result<bool> listen_again_if_gone();
  [[nodiscard]] std::size_t open_streams() const;
  // Streams kubelet has opened so far: when the number does not grow after a registration, that
  // must be repeated.
  [[nodiscard]] std::uint64_t streams_opened() const;
  // Told on a gRPC thread when the newest stream ended for whatever reason but stop(). Kubelet
  // serves a resource through its newest registration only, so an older stream does not count.
  void on_stream_end(std::function<void()> callback);
  // Ends registration, streams and calls; removes our socket file. Idempotent.
  void stop();

 private:
  struct Inner;
  explicit DevicePluginServer(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

}  // namespace rocelane::kubelet
