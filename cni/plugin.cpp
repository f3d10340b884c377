// SPDX-License-Identifier: Apache-2.0
#include "cni/plugin.h"

#include <optional>
#include <utility>

#include "cni/commands.h"
#include "lib/base/log.h"
#include "lib/cni/net_conf.h"

namespace rocelane::cni_plugin {

namespace {

using cni::CniError;
using cni::Command;

constexpr std::string_view kFallbackVersion = "1.0.0";  // for errors before a version is known

Answer failure(const CniError& error, std::string_view version) {
  return {.exit_code = 1, .output = cni::encode_error(error, version)};
}

void set_up_log(const cni::NetConf& conf) {
  if (auto level = log::parse_level(conf.log_level); level.ok()) {
    log::set_level(*level);
  }
  if (!conf.log_file.empty()) {
    if (auto opened = log::append_to_file(conf.log_file); !opened.ok()) {
      log::warn("log file not used", {{"err", opened.error().message}});
    }
  }
}

CommandAnswer dispatch(const cni::Call& call, const cni::NetConf& conf) {
  switch (call.command) {
    case Command::kAdd:
      return add(call, conf);
    case Command::kDel:
      return del(call, conf);
    case Command::kCheck:
      return check(call, conf);
    case Command::kGc:
      return collect_garbage(call, conf);
    case Command::kStatus:
      return status(conf);
    case Command::kVersion:
      break;
  }
  return {};
}

}  // namespace

Answer run(const cni::Environment& environment, std::string_view input) {
  const auto parsed = cni::parse_call(environment);
  if (parsed.error) {
    return failure(*parsed.error, kFallbackVersion);
  }
  const auto& call = *parsed.call;
  const auto configured = cni::parse_net_conf(input, call.command);
  if (configured.error) {
    if (!configured.conf) {
      return failure(*configured.error, kFallbackVersion);
    }
    // DEL: what could be read is enough to find the record, and a device must not stay for a typo.
    log::warn("releasing in spite of an invalid configuration",
              {{"err", configured.error->message}});
  }
  const auto& conf = *configured.conf;
  if (call.command == Command::kVersion) {
    return {.exit_code = 0, .output = cni::encode_versions(conf.cni_version)};
  }
  set_up_log(conf);
  auto answer = dispatch(call, conf);
  if (answer.error) {
    return failure(*answer.error, conf.cni_version);
  }
  return {.exit_code = 0, .output = std::move(answer.output)};
}

}  // namespace rocelane::cni_plugin
