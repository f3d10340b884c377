// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "cni/plan.h"
#include "lib/base/log.h"
#include "lib/config/config.h"
#include "lib/kubelet/pod_resources.h"

namespace rocelane::cni_plugin {

namespace {

using cni::CniError;
using cni::ErrorCode;

// A pod may name another network than its resource's, where that network lists the pod's namespace.
constexpr auto kNetworkAnnotation = "rocelane.io/network";

struct Held {
  std::string device_id;
  const config::Pool* pool = nullptr;
};

Planned refuse(ErrorCode code, std::string message) {
  return {.plans = {},
          .error = CniError{.code = code, .message = std::move(message), .details = {}}};
}

std::string argument(const cni::Call& call, const char* key) {
  const auto found = call.args.find(key);
  return found == call.args.end() ? std::string() : found->second;
}

bool has_chained_pool(const config::Config& config) {
  return std::any_of(config.pools.begin(), config.pools.end(), [](const config::Pool& pool) {
    return pool.attach == config::Attach::kChained;
  });
}

// A function of the pod's allocation alone, so that ADD and DEL, today and after a restart, see the
// same order: by device ID.
std::vector<Held> devices_of(const kubelet::PodDevices& pod, const config::Config& config) {
  std::map<std::string, const config::Pool*> held;
  for (const auto& container : pod.devices) {
    const auto* pool = config.find_pool(container.resource);
    if (pool == nullptr || pool->attach != config::Attach::kChained) {
      continue;
    }
    for (const auto& id : container.device_ids) {
      held.emplace(id, pool);
    }
  }
  std::vector<Held> out;
  for (const auto& [id, pool] : held) {
    out.push_back({.device_id = id, .pool = pool});
  }
  return out;
}

bool lists(const config::Network& network, const std::string& ns) {
  return std::any_of(network.namespaces.begin(), network.namespaces.end(),
                     [&](const std::string& entry) { return entry == "*" || entry == ns; });
}

struct Choice {
  const config::Network* network = nullptr;
  std::optional<CniError> error;
};

Choice choose_network(const Held& held, const config::Config& config, const cni::NetConf& conf,
                      const std::string& ns) {
  const auto annotation = conf.pod_annotations.find(kNetworkAnnotation);
  const auto& name =
      annotation == conf.pod_annotations.end() ? held.pool->network : annotation->second;
  const auto* network = config.find_network(name);
  if (network != nullptr && (annotation == conf.pod_annotations.end() || lists(*network, ns))) {
    return {.network = network, .error = std::nullopt};
  }
  return {.network = nullptr,
          .error =
              CniError{.code = ErrorCode::kInvalidConfig,
                       .message = fmt::format(
                           "pod annotation {}: network \"{}\" {}", kNetworkAnnotation, name,
                           network == nullptr ? "does not exist" : "does not list namespace " + ns),
                       .details = {}}};
}

attachment::VfSettings settings_of(const config::Network& network) {
  attachment::VfSettings vf;
  vf.vlan = network.vlan;
  vf.qos = network.vlan_qos;
  vf.spoofchk = network.spoofchk;
  vf.trust = network.trust;
  vf.mtu = network.mtu;
  return vf;
}

// Under a name of its own, so that the delegate's state of this network never mixes with the
// primary's.
std::string delegate_input(const cni::NetConf& conf, const config::Network& network) {
  cni::NetConf own = conf;
  own.name = "rocelane-" + network.name;
  return cni::encode_delegate_conf(own, network.ipam->raw);
}

Planned make_plans(const std::vector<Held>& devices, const config::Config& config,
                   const cni::Call& call, const cni::NetConf& conf) {
  Planned planned;
  const state::PodRef pod{.ns = argument(call, "K8S_POD_NAMESPACE"),
                          .name = argument(call, "K8S_POD_NAME"),
                          .uid = argument(call, "K8S_POD_UID")};
  std::map<std::string, int> next;  // interface prefix -> number
  for (const auto& held : devices) {
    const auto choice = choose_network(held, config, conf, pod.ns);
    if (choice.error) {
      return {.plans = {}, .error = choice.error};
    }
    const auto& network = *choice.network;
    if (network.vrf) {
      return refuse(
          ErrorCode::kUnsupportedField,
          fmt::format("network {}: vrf is not applied by this version; remove it", network.name));
    }
    attachment::Plan plan;
    plan.container_id = call.container_id;
    plan.netns_path = call.netns;
    plan.if_name = network.interface + std::to_string(next[network.interface]++);
    plan.cni_network_name = conf.name;
    plan.cni_if_name = call.if_name;
    plan.pod = pod;
    plan.network = network.name;
    plan.resource = held.pool->resource();
    plan.device_id = held.device_id;
    plan.type = held.pool->type;
    plan.vf = settings_of(network);
    plan.ipam = network.ipam ? delegate_input(conf, network) : std::string();
    plan.memlock_bytes = config.memlock.limit_bytes;
    planned.plans.push_back(std::move(plan));
  }
  return planned;
}

// Without a readable configuration nothing tells which resources are ours. A pod without any device
// cannot be concerned; for one with devices a guess could start it on the wrong network.
Planned without_config(const Error& problem, const kubelet::PodDevices& pod) {
  const bool has_devices = std::any_of(
      pod.devices.begin(), pod.devices.end(),
      [](const kubelet::ContainerDevices& container) { return !container.device_ids.empty(); });
  if (!has_devices) {
    log::warn("configuration not usable; this pod holds no devices", {{"err", problem.message}});
    return {};
  }
  return refuse(
      ErrorCode::kInvalidConfig,
      "pod holds devices, and the configuration that says whose they are is not usable: " +
          problem.message);
}

}  // namespace

Planned plan_chained(const cni::Call& call, const cni::NetConf& conf) {
  const auto ns = argument(call, "K8S_POD_NAMESPACE");
  const auto name = argument(call, "K8S_POD_NAME");
  if (name.empty() || ns.empty()) {
    return {};  // not a Kubernetes pod, so kubelet gave it no device
  }
  const auto config = config::load_config(conf.places.config_file);
  if (!config.ok() && config.error().code == Code::kNotFound) {
    return {};  // never rendered: no pool was ever advertised on this node
  }
  if (config.ok() && !has_chained_pool(*config)) {
    return {};
  }
  const auto pod = kubelet::get_pod_devices(conf.places.pod_resources_socket, ns, name);
  if (!pod.ok()) {
    return refuse(ErrorCode::kTryAgainLater,
                  fmt::format("asking kubelet for the devices of pod {}/{}: {}", ns, name,
                              pod.error().message));
  }
  if (!config.ok()) {
    return without_config(config.error(), *pod);
  }
  return make_plans(devices_of(*pod, *config), *config, call, conf);
}

}  // namespace rocelane::cni_plugin
