// SPDX-License-Identifier: Apache-2.0
// Plugin: follows the configuration, the host's VFs and kubelet, and keeps one PoolServer per pool
// in step with them. Nothing that goes wrong here ends the process: a plugin that restarts in a
// loop takes its devices away from kubelet each time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "device-plugin/device_list.h"
#include "device-plugin/directory_watch.h"
#include "device-plugin/event_loop.h"
#include "device-plugin/kernel_watch.h"
#include "device-plugin/options.h"
#include "device-plugin/pool_server.h"
#include "lib/config/config.h"

namespace rocelane::plugin {

class Plugin {
 public:
  Plugin(EventLoop& loop, Options options);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  Plugin(Plugin&&) = delete;
  Plugin& operator=(Plugin&&) = delete;
  ~Plugin();

  // Only what the process cannot do without is an error (inotify, signals); a missing
  // configuration, directory or kubelet is waited for.
  Result<void> start();
  // Configuration and devices again, now.
  void refresh();

 private:
  void kubelet_directory_changed(const std::set<std::string>& names);
  void reload();
  void start_missing_pools();
  Result<std::shared_ptr<PoolServer>> start_pool(config::PoolType type,
                                                 const std::string& resource);
  void rescan_soon();
  void rescan();
  void publish(const Lists& lists);
  void log_changes(const Lists& lists) const;
  void write_report(const Lists& lists);

  EventLoop& loop_;
  const Options options_;
  std::string boot_id_;
  std::optional<config::Config> config_;
  std::string last_config_problem_;
  std::string last_scan_problem_;
  std::string last_report_;
  bool report_failed_ = false;
  std::optional<Lists> lists_;

  Worker worker_;  // ends after the pools, whose registrations it runs
  std::map<std::string, std::shared_ptr<PoolServer>> pools_;
  std::map<std::string, std::string> pool_problems_;
  std::unique_ptr<DirectoryWatch> kubelet_watch_;
  std::unique_ptr<DirectoryWatch> config_watch_;
  std::unique_ptr<KernelWatch> kernel_watch_;
  Timer soon_;
  Timer slow_;
};

}  // namespace rocelane::plugin
