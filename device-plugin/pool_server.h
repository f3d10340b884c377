// SPDX-License-Identifier: Apache-2.0
// PoolServer: one resource towards kubelet: serves its list, and registers as often as kubelet
// needs it: at start, when kubelet.sock appears, and at once when its ListAndWatch stream is lost.
//
// Thread: the loop's; kubelet's Register call blocks, so it runs on the worker.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "device-plugin/device_list.h"
#include "device-plugin/event_loop.h"
#include "lib/base/result.h"
#include "lib/kubelet/device_plugin.h"

namespace rocelane::plugin {

class PoolServer : public std::enable_shared_from_this<PoolServer> {
 public:
  static constexpr const char* kKubeletSocket = "kubelet.sock";

  // Binds the socket and begins to register.
  static Result<std::shared_ptr<PoolServer>> start(EventLoop& loop, Worker& worker,
                                                   const std::string& resource,
                                                   const std::string& plugin_dir);
  PoolServer(const PoolServer&) = delete;
  PoolServer& operator=(const PoolServer&) = delete;
  PoolServer(PoolServer&&) = delete;
  PoolServer& operator=(PoolServer&&) = delete;
  ~PoolServer();

  // File name of our socket in kubelet's directory: "rocelane-rdma_roce.sock".
  static std::string socket_name(const std::string& resource);

  void set_devices(const std::vector<ListedDevice>& devices);
  // Kubelet is there (again): its directory was wiped, nothing is registered.
  void kubelet_appeared();
  // Our socket file may have been removed.
  void check_socket();
  void stop();

 private:
  // What gRPC's threads need to answer Allocate.
  struct Known {
    std::mutex mutex;
    std::set<std::string> ids;
  };

  PoolServer(EventLoop& loop, Worker& worker, std::string resource, std::shared_ptr<Known> known,
             std::shared_ptr<kubelet::DevicePluginServer> server);
  void register_now();
  void registered(const Result<void>& outcome);
  void stream_ended();
  void register_later();

  EventLoop& loop_;
  Worker& worker_;
  const std::string resource_;
  const std::shared_ptr<Known> known_;
  const std::shared_ptr<kubelet::DevicePluginServer> server_;
  Timer retry_;
  std::chrono::milliseconds pause_;
  std::uint64_t streams_before_ = 0;  // opened when the last registration began
  bool registering_ = false;
  bool register_again_ = false;
  std::string last_problem_;
};

}  // namespace rocelane::plugin
