// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/pool_server.h"

#include <algorithm>

#include "lib/base/log.h"
#include "lib/rdma/names.h"

namespace rocelane::plugin {

namespace {

// The first pause is short because kubelet.sock can be seen between bind(2) and listen(2).
constexpr std::chrono::milliseconds kFirstPause{2};
constexpr std::chrono::milliseconds kLongestPause{1000};

// Kubelet opens ListAndWatch right after Register. Without a stream by then it will not come: when
// an older connection ends late, kubelet closes the newer one in its place (devicemanager
// plugin/v1beta1/handler.go, runClient).
constexpr std::chrono::milliseconds kStreamPatience{1000};

Result<kubelet::Allocation> allocate(const std::set<std::string>& known,
                                     const std::string& resource,
                                     const std::vector<std::string>& ids) {
  kubelet::Allocation allocation;
  for (const auto& id : ids) {
    if (known.count(id) == 0) {
      return Error::make(Code::kNotFound,
                         std::string(resource).append(" has no device ").append(id));
    }
    allocation.cdi_devices.push_back(rdma::cdi_device(id));
  }
  return allocation;
}

}  // namespace

std::string PoolServer::socket_name(const std::string& resource) {
  auto name = "rocelane-" + resource + ".sock";
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

Result<std::shared_ptr<PoolServer>> PoolServer::start(EventLoop& loop, Worker& worker,
                                                      const std::string& resource,
                                                      const std::string& plugin_dir) {
  auto known = std::make_shared<Known>();
  ROCELANE_ASSIGN_OR_RETURN(
      std::shared_ptr<kubelet::DevicePluginServer> server,
      kubelet::DevicePluginServer::start(
          {.resource = resource, .plugin_dir = plugin_dir, .socket_name = socket_name(resource)},
          [known, resource](const auto& ids) {
            const std::lock_guard lock(known->mutex);
            return allocate(known->ids, resource, ids);
          }));
  auto pool = std::shared_ptr<PoolServer>(
      new PoolServer(loop, worker, resource, std::move(known), std::move(server)));
  pool->server_->on_stream_end([&loop, weak = std::weak_ptr(pool)] {
    loop.post([weak] {
      if (const auto self = weak.lock()) {
        self->stream_ended();
      }
    });
  });
  return pool;
}

PoolServer::PoolServer(EventLoop& loop, Worker& worker, std::string resource,
                       std::shared_ptr<Known> known,
                       std::shared_ptr<kubelet::DevicePluginServer> server)
    : loop_(loop),
      worker_(worker),
      resource_(std::move(resource)),
      known_(std::move(known)),
      server_(std::move(server)),
      retry_(loop),
      pause_(kFirstPause) {}

PoolServer::~PoolServer() { stop(); }

void PoolServer::set_devices(const std::vector<ListedDevice>& devices) {
  std::vector<kubelet::Device> list;
  std::set<std::string> ids;
  for (const auto& device : devices) {
    ids.insert(device.id);
    list.push_back({.id = device.id, .healthy = device.healthy(), .numa_node = device.numa_node});
  }
  {
    const std::lock_guard lock(known_->mutex);
    known_->ids = std::move(ids);
  }
  server_->publish(std::move(list));
}

void PoolServer::kubelet_appeared() {
  pause_ = kFirstPause;
  check_socket();
  register_now();
}

void PoolServer::check_socket() {
  const auto bound = server_->listen_again_if_gone();
  if (!bound.ok()) {
    log::warn("the plugin's socket is not ours",
              {{"resource", resource_}, {"err", bound.error().message}});
  } else if (*bound) {
    log::info("the plugin's socket was removed and is bound again", {{"resource", resource_}});
  }
}

void PoolServer::register_now() {
  retry_.cancel();
  if (registering_) {
    register_again_ = true;
    return;
  }
  registering_ = true;
  streams_before_ = server_->streams_opened();
  worker_.post([server = server_, &loop = loop_, weak = weak_from_this()] {
    const auto outcome = server->register_with_kubelet();
    loop.post([weak, outcome] {
      if (const auto self = weak.lock()) {
        self->registered(outcome);
      }
    });
  });
}

void PoolServer::register_later() {
  retry_.arm(pause_, [this] { register_now(); });
  pause_ = std::min(pause_ * 2, kLongestPause);
}

void PoolServer::registered(const Result<void>& outcome) {
  registering_ = false;
  if (std::exchange(register_again_, false)) {
    register_now();
    return;
  }
  if (!outcome.ok()) {
    const auto& problem = outcome.error();
    if (std::exchange(last_problem_, problem.message) != problem.message) {
      const auto write = problem.code == Code::kInvalidInput ? log::error : log::warn;
      write("not registered with kubelet, trying again",
            {{"resource", resource_}, {"err", problem.message}});
    }
    register_later();
    return;
  }
  log::info("registered with kubelet", {{"resource", resource_}});
  last_problem_.clear();
  retry_.arm(kStreamPatience, [this] {
    if (server_->streams_opened() == streams_before_) {
      register_later();
    } else {
      pause_ = kFirstPause;
    }
  });
}

void PoolServer::stream_ended() {
  log::info("kubelet's ListAndWatch stream ended", {{"resource", resource_}});
  check_socket();
  if (pause_ == kFirstPause) {
    pause_ *= 2;  // at once, but not at once again if this stream is lost as well
    register_now();
  } else if (!registering_) {
    register_later();
  }
}

void PoolServer::stop() { server_->stop(); }

}  // namespace rocelane::plugin
