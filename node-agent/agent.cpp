// SPDX-License-Identifier: Apache-2.0
#include "node-agent/agent.h"

#include <linux/rtnetlink.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/signal_set.hpp>
#include <csignal>
#include <filesystem>
#include <vector>

#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/netlink/socket.h"
#include "lib/state/store.h"
#include "lib/sysfs/sysfs.h"
#include "node-agent/directory_watch.h"
#include "node-agent/entry_keeper.h"
#include "node-agent/install.h"
#include "node-agent/kernel.h"
#include "node-agent/node_config.h"
#include "node-agent/port_set.h"
#include "node-agent/task.h"

namespace rocelane::agent {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPeriod{10'000};  // what no event told is seen at the latest then
constexpr milliseconds kSettle{100};     // events come in bursts

struct Parts {
  state::Store store;
  sysfs::Sysfs sysfs;
  netlink::Socket requests;
  netlink::Socket events;
  DirectoryWatch watch;
  std::string boot_id;
};

class Agent {
 public:
  Agent(const Options& options, Parts parts);
  void run();

 private:
  milliseconds keep_config();
  milliseconds keep_entry();
  milliseconds keep_ports();
  void await_files();
  void await_links();

  Options options_;
  Parts parts_;
  Kernel kernel_;
  NodeConfig config_;
  EntryKeeper entry_;
  PortSet ports_;
  std::string config_problem_;
  asio::io_context io_;
  asio::signal_set signals_;
  asio::posix::stream_descriptor file_events_;
  asio::posix::stream_descriptor link_events_;
  Task config_task_;
  Task entry_task_;
  Task ports_task_;
};

Agent::Agent(const Options& options, Parts parts)
    : options_(options),
      parts_(std::move(parts)),
      kernel_(kernel_over(parts_.requests)),
      config_(options.config, options.state_dir, {options.node_name, options.node_labels}),
      entry_(options.cni_conf_dir, chained_entry(options)),
      signals_(io_, SIGTERM, SIGINT),
      file_events_(io_, parts_.watch.fd()),
      link_events_(io_, parts_.events.fd()),
      config_task_(io_, [this] { return keep_config(); }),
      entry_task_(io_, [this] { return keep_entry(); }),
      ports_task_(io_, [this] { return keep_ports(); }) {
  config_.start_from_disk();
  ports_.configure(config_.current().ports);
}

void Agent::run() {
  signals_.async_wait([this](const asio::error_code& problem, int signal) {
    if (!problem) {
      log::info("stopping", {{"signal", std::to_string(signal)}});
      io_.stop();
    }
  });
  await_files();
  await_links();
  config_task_.soon(milliseconds(0));
  entry_task_.soon(milliseconds(0));
  ports_task_.soon(milliseconds(0));
  io_.run();
  // The descriptors belong to the watch and the socket.
  static_cast<void>(file_events_.release());
  static_cast<void>(link_events_.release());
}

void Agent::await_files() {
  file_events_.async_wait(asio::posix::stream_descriptor::wait_read,
                          [this](const asio::error_code& problem) {
                            if (problem) {
                              return;
                            }
                            parts_.watch.drain();
                            config_task_.soon(kSettle);
                            entry_task_.soon(kSettle);
                            await_files();
                          });
}

void Agent::await_links() {
  link_events_.async_wait(asio::posix::stream_descriptor::wait_read,
                          [this](const asio::error_code& problem) {
                            if (problem) {
                              return;
                            }
                            // Lost messages do not matter: every pass looks at everything.
                            static_cast<void>(parts_.events.receive());
                            ports_task_.soon(kSettle);
                            await_links();
                          });
}

milliseconds Agent::keep_config() {
  const auto directory = std::filesystem::path(options_.config).parent_path().string();
  const auto watched = parts_.watch.add(directory);
  const auto changed = watched.ok() ? config_.refresh() : Result<bool>(watched.error());
  const auto problem = changed.ok() ? std::string() : changed.error().message;
  if (!problem.empty() && problem != config_problem_) {
    log::error("configuration refused; the last good one stays in force", {{"err", problem}});
  }
  if (changed.ok() && (*changed || !config_problem_.empty())) {
    log::info("configuration in force", {{"path", config_.rendered_path()}});
  }
  config_problem_ = problem;
  if (changed.ok() && *changed) {
    ports_.configure(config_.current().ports);
    ports_task_.soon(milliseconds(0));
  }
  return kPeriod;
}

milliseconds Agent::keep_entry() {
  const auto made = make_directories(options_.cni_conf_dir);
  const auto watched = made.ok() ? parts_.watch.add(options_.cni_conf_dir) : made;
  if (!watched.ok()) {
    log::error("CNI directory cannot be watched", {{"err", watched.error().message}});
    return kPeriod;
  }
  if (is_uninstalled(options_)) {
    entry_.withdraw();
    return kPeriod;
  }
  // An entry that names an absent program would stop every pod of the node.
  if (const auto there = restore_programs(options_); !there.ok()) {
    log::error("programs cannot be placed", {{"err", there.error().message}});
    return kPeriod;
  }
  return entry_.keep(EntryKeeper::Clock::now()).value_or(kPeriod);
}

milliseconds Agent::keep_ports() {
  const PortHost host{
      .sysfs = parts_.sysfs, .kernel = kernel_, .store = parts_.store, .boot_id = parts_.boot_id};
  return ports_.ensure(host).value_or(kPeriod);
}

Result<Parts> open_parts(const Options& options) {
  ROCELANE_ASSIGN_OR_RETURN(auto store, state::Store::open(options.state_dir));
  ROCELANE_ASSIGN_OR_RETURN(auto sysfs, sysfs::Sysfs::open(options.sysfs));
  ROCELANE_ASSIGN_OR_RETURN(auto requests, netlink::Socket::open(netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(auto events, netlink::Socket::open(netlink::Family::kRoute));
  ROCELANE_RETURN_IF_ERROR(events.join(RTNLGRP_LINK));
  ROCELANE_ASSIGN_OR_RETURN(auto watch, DirectoryWatch::open());
  ROCELANE_ASSIGN_OR_RETURN(auto boot_id, state::read_boot_id());
  return Parts{.store = std::move(store),
               .sysfs = std::move(sysfs),
               .requests = std::move(requests),
               .events = std::move(events),
               .watch = std::move(watch),
               .boot_id = std::move(boot_id)};
}

}  // namespace

Result<void> run_agent(const Options& options) {
  ROCELANE_ASSIGN_OR_RETURN(auto parts, open_parts(options));
  ROCELANE_RETURN_IF_ERROR(install_programs(options).with_context("installing programs"));
  Agent agent(options, std::move(parts));
  log::info("running", {{"node", options.node_name}});
  agent.run();
  return {};
}

}  // namespace rocelane::agent
