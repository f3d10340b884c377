// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>

#include "cni/commands.h"
#include "cni/host.h"
#include "lib/attachment/release.h"
#include "lib/base/log.h"

namespace rocelane::cni_plugin {

namespace {

using state::Record;

// Chained: everything this network attached to the sandbox. NAD: the one interface of the call.
bool is_of_call(const Record& record, const cni::Call& call, const cni::NetConf& conf) {
  return record.cni_network_name == conf.name &&
         (conf.mode == cni::Mode::kChained || record.cni_if_name == call.if_name);
}

void report_damage(const state::Listing& listing) {
  for (const auto& damaged : listing.damaged) {
    log::error("record cannot be read and is kept; its device has to be looked after by hand",
               {{"record", damaged.path}, {"err", damaged.problem}});
  }
}

std::string release_each(const attachment::Host& host, const std::vector<Record>& records) {
  std::string problems;
  for (const auto& record : records) {
    if (auto released = attachment::release(host, record); !released.ok()) {
      log::error("not released yet", {{"device", record.device_id},
                                      {"pod", record.pod.ns + "/" + record.pod.name},
                                      {"err", released.error().message}});
      problems +=
          (problems.empty() ? "" : "; ") + record.device_id + ": " + released.error().message;
    }
  }
  return problems;
}

CommandAnswer answer(const std::string& problems, const cni::NetConf& conf) {
  if (problems.empty() || conf.mode == cni::Mode::kChained) {
    return {};
  }
  return {.output = {},
          .error = cni::CniError{
              .code = cni::ErrorCode::kKernel, .message = "releasing " + problems, .details = {}}};
}

CommandAnswer io_answer(const Error& error, const cni::NetConf& conf) {
  log::error("state directory not usable", {{"err", error.message}});
  if (conf.mode == cni::Mode::kChained) {
    return {};
  }
  return {
      .output = {},
      .error = cni::CniError{.code = cni::ErrorCode::kIo, .message = error.message, .details = {}}};
}

bool is_valid(const Record& record, const cni::NetConf& conf) {
  return std::any_of(
      conf.valid_attachments.begin(), conf.valid_attachments.end(), [&](const auto& valid) {
        return valid.first == record.container_id && valid.second == record.cni_if_name;
      });
}

}  // namespace

CommandAnswer del(const cni::Call& call, const cni::NetConf& conf) {
  auto listing = state::Store::read_only(conf.places.state_dir).list_container(call.container_id);
  if (!listing.ok()) {
    return io_answer(listing.error(), conf);
  }
  report_damage(*listing);
  std::erase_if(listing->records,
                [&](const Record& record) { return !is_of_call(record, call, conf); });
  if (listing->records.empty()) {
    return {};
  }
  const auto host = open_host(call, conf);
  if (!host.ok()) {
    return io_answer(host.error(), conf);
  }
  return answer(release_each(*host, listing->records), conf);
}

CommandAnswer collect_garbage(const cni::Call& call, const cni::NetConf& conf) {
  const auto host = open_host(call, conf);
  if (!host.ok()) {
    return io_answer(host.error(), conf);
  }
  auto listing = host->store.list();
  if (!listing.ok()) {
    return io_answer(listing.error(), conf);
  }
  report_damage(*listing);
  // Some runtimes hand in an incomplete list, so a living netns always counts as valid.
  std::erase_if(listing->records, [&](const Record& record) {
    return record.cni_network_name != conf.name || is_valid(record, conf) ||
           attachment::netns_lives(*host, record);
  });
  return answer(release_each(*host, listing->records), conf);
}

}  // namespace rocelane::cni_plugin
