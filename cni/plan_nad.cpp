// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

#include "cni/plan.h"
#include "lib/config/config.h"

namespace rocelane::cni_plugin {

namespace {

const std::map<std::string, std::uint32_t>& link_states() {
  static const std::map<std::string, std::uint32_t> kStates{
      {"auto", 0}, {"enable", 1}, {"disable", 2}};  // IFLA_VF_LINK_STATE_*
  return kStates;
}

std::string argument(const cni::Call& call, const char* key) {
  const auto found = call.args.find(key);
  return found == call.args.end() ? std::string() : found->second;
}

attachment::VfSettings settings_of(const cni::NadFields& nad) {
  attachment::VfSettings vf;
  vf.vlan = nad.vlan.value_or(0);
  vf.qos = nad.vlan_qos.value_or(0);
  vf.vlan_proto = nad.vlan_proto.value_or(0x8100);
  vf.mac = nad.mac;
  vf.spoofchk = nad.spoofchk;
  vf.trust = nad.trust;
  if (nad.link_state) {
    vf.link_state = link_states().at(*nad.link_state);  // parse_net_conf() lets no other value in
  }
  vf.min_tx_rate = nad.min_tx_rate;
  vf.max_tx_rate = nad.max_tx_rate;
  vf.mtu = nad.mtu;
  return vf;
}

}  // namespace

Planned plan_nad(const cni::Call& call, const cni::NetConf& conf) {
  attachment::Plan plan;
  plan.container_id = call.container_id;
  plan.netns_path = call.netns;
  plan.if_name = call.if_name;
  plan.cni_network_name = conf.name;
  plan.cni_if_name = call.if_name;
  plan.pod = {.ns = argument(call, "K8S_POD_NAMESPACE"),
              .name = argument(call, "K8S_POD_NAME"),
              .uid = argument(call, "K8S_POD_UID")};
  plan.device_id = conf.nad->device_id;
  plan.type = conf.nad->type == "softRoce" ? config::PoolType::kSoftRoce : config::PoolType::kSriov;
  plan.vf = settings_of(*conf.nad);
  if (const auto wanted = argument(call, "MAC"); !wanted.empty() && !plan.vf.mac) {
    const auto mac = MacAddress::parse(wanted);
    if (!mac.ok()) {
      return {.plans = {},
              .error = cni::CniError{.code = cni::ErrorCode::kInvalidEnvironment,
                                     .message = "CNI_ARGS MAC: " + mac.error().message,
                                     .details = {}}};
    }
    plan.vf.mac = *mac;
  }
  plan.ipam = conf.ipam.empty() ? std::string() : cni::encode_delegate_conf(conf, conf.ipam);
  // The memlock policy is the node's; a NAD has no field for it.
  if (const auto config = config::load_config(conf.places.config_file); config.ok()) {
    plan.memlock_bytes = config->memlock.limit_bytes;
  }
  return {.plans = {std::move(plan)}, .error = std::nullopt};
}

}  // namespace rocelane::cni_plugin
