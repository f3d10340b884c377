// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <vector>

#include "cni/commands.h"
#include "cni/error_code.h"
#include "cni/host.h"
#include "cni/plan.h"
#include "lib/attachment/attach.h"
#include "lib/attachment/release.h"
#include "lib/base/log.h"

namespace rocelane::cni_plugin {

namespace {

using attachment::Attached;
using attachment::Host;
using attachment::Plan;

// All or none: when one device fails, those attached before it go home again.
CommandAnswer attach_all(const Host& host, const std::vector<Plan>& plans,
                         std::vector<Attached>& attached) {
  for (const auto& plan : plans) {
    auto outcome = attachment::attach(host, plan);
    if (outcome.attached) {
      attached.push_back(std::move(*outcome.attached));
      continue;
    }
    for (auto done = attached.rbegin(); done != attached.rend(); ++done) {
      if (auto released = attachment::release(host, done->record); !released.ok()) {
        log::error("not released after a failed ADD",
                   {{"device", done->record.device_id}, {"err", released.error().message}});
      }
    }
    return {.output = {}, .error = to_cni_error(plan, *outcome.failure)};
  }
  return {};
}

cni::AddResult result_of(const Attached& attached) {
  cni::AddResult result = attached.addresses;
  result.interfaces = {cni::Interface{.name = attached.record.if_name,
                                      .mac = attached.mac,
                                      .mtu = attached.mtu,
                                      .sandbox = attached.record.netns.path,
                                      .pci_id = attached.record.device_id}};
  for (auto& ip : result.ips) {
    ip.interface = 0;
  }
  return result;
}

}  // namespace

CommandAnswer add(const cni::Call& call, const cni::NetConf& conf) {
  auto planned = conf.mode == cni::Mode::kNad ? plan_nad(call, conf) : plan_chained(call, conf);
  if (planned.error) {
    return {.output = {}, .error = std::move(planned.error)};
  }
  if (planned.plans.empty()) {
    return {.output = conf.prev_result, .error = std::nullopt};
  }
  const auto host = open_host(call, conf);
  if (!host.ok()) {
    return {.output = {},
            .error = cni::CniError{
                .code = cni::ErrorCode::kIo, .message = host.error().message, .details = {}}};
  }
  std::vector<Attached> attached;
  if (auto failed = attach_all(*host, planned.plans, attached); failed.error) {
    return failed;
  }
  if (conf.mode == cni::Mode::kChained) {
    return {.output = conf.prev_result, .error = std::nullopt};
  }
  return {.output = cni::encode_result(result_of(attached.front()), conf.cni_version),
          .error = std::nullopt};
}

}  // namespace rocelane::cni_plugin
