// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/plugin.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/state/device_report.h"
#include "lib/state/store.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::plugin {

namespace {

// One change of a device comes as a burst of messages.
constexpr std::chrono::milliseconds kSettle{50};

// What no message tells: sysfs attributes written without a uevent, a record that was removed, and
// messages this network namespace does not get.
constexpr std::chrono::milliseconds kSlowRescan{30'000};

std::size_t count_healthy(const std::vector<ListedDevice>& devices) {
  return static_cast<std::size_t>(
      std::count_if(devices.begin(), devices.end(), [](const auto& d) { return d.healthy(); }));
}

const ListedDevice* find(const std::optional<Lists>& lists, const std::string& resource,
                         const std::string& id) {
  if (!lists || lists->count(resource) == 0) {
    return nullptr;
  }
  const auto& list = lists->at(resource);
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& device) { return device.id == id; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

Plugin::Plugin(EventLoop& loop, Options options)
    : loop_(loop), options_(std::move(options)), soon_(loop), slow_(loop) {}

Plugin::~Plugin() {
  for (const auto& [resource, pool] : pools_) {
    pool->stop();
  }
}

Result<void> Plugin::start() {
  ROCELANE_ASSIGN_OR_RETURN(boot_id_, state::read_boot_id());
  kernel_watch_ = std::make_unique<KernelWatch>(loop_, [this] { rescan_soon(); });
  // Each watch reports once when it begins: the configuration last, so that its pools find
  // kubelet's directory watched.
  ROCELANE_ASSIGN_OR_RETURN(
      kubelet_watch_, DirectoryWatch::start(loop_, options_.plugin_dir, [this](const auto& names) {
        kubelet_directory_changed(names);
      }));
  const auto config_dir = std::filesystem::path(options_.config).parent_path();
  ROCELANE_ASSIGN_OR_RETURN(
      config_watch_, DirectoryWatch::start(loop_, config_dir.empty() ? "." : config_dir.string(),
                                           [this](const auto& /*names*/) { reload(); }));
  refresh();
  return {};
}

void Plugin::refresh() {
  reload();
  rescan();
}

void Plugin::kubelet_directory_changed(const std::set<std::string>& names) {
  const bool anything = names.empty();
  const auto socket = options_.plugin_dir + "/" + PoolServer::kKubeletSocket;
  std::error_code ignored;
  const bool kubelet = (anything || names.count(PoolServer::kKubeletSocket) != 0) &&
                       std::filesystem::exists(socket, ignored);
  for (const auto& [resource, pool] : pools_) {
    if (kubelet) {
      pool->kubelet_appeared();
    } else if (anything || names.count(PoolServer::socket_name(resource)) != 0) {
      pool->check_socket();
    }
  }
  start_missing_pools();
}

void Plugin::reload() {
  auto loaded = config::load_config(options_.config);
  if (!loaded.ok()) {
    const auto& problem = loaded.error();
    if (std::exchange(last_config_problem_, problem.message) == problem.message) {
      return;
    }
    if (problem.code == Code::kNotFound && !config_) {
      log::warn("no configuration yet, waiting for it", {{"err", problem.message}});
    } else {
      log::error(config_ ? "configuration not usable, keeping the last good one"
                         : "configuration not usable, waiting for a better one",
                 {{"err", problem.message}});
    }
    return;
  }
  last_config_problem_.clear();
  if (config_ == *loaded) {
    return;
  }
  config_ = std::move(*loaded);
  log::info("configuration loaded",
            {{"file", options_.config}, {"pools", std::to_string(config_->pools.size())}});
  std::erase_if(pools_, [this](const auto& entry) {
    const auto* pool = config_->find_pool(entry.first);
    return pool == nullptr || pool->type == config::PoolType::kShared;
  });
  rescan();
}

// Only with a list to send: an empty one would take away devices that running pods hold.
void Plugin::start_missing_pools() {
  if (!config_ || !lists_) {
    return;
  }
  for (const auto& pool : config_->pools) {
    const auto resource = pool.resource();
    if (pools_.count(resource) != 0 || lists_->count(resource) == 0) {
      continue;
    }
    auto started = start_pool(pool.type, resource);
    if (started.ok()) {
      pool_problems_.erase(resource);
      pools_[resource] = *started;
    } else if (auto& last = pool_problems_[resource]; last != started.error().message) {
      last = started.error().message;
      log::error("pool not served", {{"resource", resource}, {"err", last}});
    }
  }
}

Result<std::shared_ptr<PoolServer>> Plugin::start_pool(config::PoolType type,
                                                       const std::string& resource) {
  if (type == config::PoolType::kShared) {
    return Error::make(Code::kUnsupported, "pools of type shared are not served yet");
  }
  ROCELANE_ASSIGN_OR_RETURN(auto pool,
                            PoolServer::start(loop_, worker_, resource, options_.plugin_dir));
  pool->set_devices(lists_->at(resource));
  pool->kubelet_appeared();
  return pool;
}

void Plugin::rescan_soon() {
  if (!soon_.armed()) {
    soon_.arm(kSettle, [this] { rescan(); });
  }
}

void Plugin::rescan() {
  slow_.arm(kSlowRescan, [this] { rescan(); });
  if (!config_) {
    return;
  }
  const auto sysfs = sysfs::Sysfs::open(options_.sysfs);
  auto vfs = sysfs.ok() ? scan_vfs(*sysfs) : sysfs.error();
  const auto records = state::Store::read_only(options_.state_dir).list();
  for (const auto* problem :
       {vfs.ok() ? nullptr : &vfs.error(), records.ok() ? nullptr : &records.error()}) {
    if (problem != nullptr) {
      if (std::exchange(last_scan_problem_, problem->message) != problem->message) {
        log::error("devices not read, keeping the last list", {{"err", problem->message}});
      }
      return;
    }
  }
  last_scan_problem_.clear();
  publish(list_devices(config_->pools, *vfs, held_devices(records->records, boot_id_)));
}

void Plugin::publish(const Lists& lists) {
  log_changes(lists);
  lists_ = lists;
  for (const auto& [resource, pool] : pools_) {
    pool->set_devices((*lists_)[resource]);
  }
  start_missing_pools();
  write_report(lists);
}

void Plugin::log_changes(const Lists& lists) const {
  for (const auto& [resource, devices] : lists) {
    for (const auto& device : devices) {
      const auto* before = find(lists_, resource, device.id);
      if (!device.healthy() && (before == nullptr || before->reason != device.reason)) {
        log::warn("device unhealthy",
                  {{"device", device.id}, {"resource", resource}, {"reason", device.reason}});
      } else if (device.healthy() && before != nullptr && !before->healthy()) {
        log::info("device healthy again", {{"device", device.id}, {"resource", resource}});
      }
    }
    if (!lists_ || lists_->count(resource) == 0 || lists_->at(resource).size() != devices.size()) {
      log::info("devices listed", {{"resource", resource},
                                   {"devices", std::to_string(devices.size())},
                                   {"healthy", std::to_string(count_healthy(devices))}});
    }
  }
}

void Plugin::write_report(const Lists& lists) {
  std::vector<state::ReportedDevice> report;
  for (const auto& [resource, devices] : lists) {
    for (const auto& device : devices) {
      report.push_back({.id = device.id,
                        .resource = resource,
                        .healthy = device.healthy(),
                        .reason = device.reason});
    }
  }
  auto text = state::encode_device_report(report);
  if (text == last_report_) {
    return;
  }
  const auto written =
      write_file_atomic(options_.state_dir + "/devices.json", text, Durability::kRename);
  if (written.ok()) {
    last_report_ = std::move(text);
    report_failed_ = false;
  } else if (!std::exchange(report_failed_, true)) {
    log::warn("the agent will not see this plugin's devices", {{"err", written.error().message}});
  }
}

}  // namespace rocelane::plugin
