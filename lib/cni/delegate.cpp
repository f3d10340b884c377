// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/delegate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "lib/base/subprocess.h"
#include "lib/json/json_document.h"

namespace rocelane::cni {

namespace {

Result<std::string> plugin_type(const std::string& input) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, json::Document::parse(input));
  const auto type = nlohmann::json::json_pointer("/ipam/type");
  const auto* found = document.value().contains(type) ? &document.value().at(type) : nullptr;
  if (found == nullptr || !found->is_string()) {
    return Error::make(Code::kInvalidInput, "ipam.type is missing");
  }
  auto name = found->get<std::string>();
  // The type is a file name: a path would run a program that is on no CNI_PATH.
  if (name.empty() || name.find('/') != std::string::npos) {
    return Error::make(Code::kInvalidInput,
                       fmt::format("ipam.type \"{}\" is not a plugin's name", name));
  }
  return name;
}

Result<std::string> find_plugin(const Delegate& delegate) {
  ROCELANE_ASSIGN_OR_RETURN(const auto type, plugin_type(delegate.input));
  for (const auto& directory : delegate.path) {
    auto path = fmt::format("{}/{}", directory, type);
    std::error_code ignored;  // a directory may be executable too
    if (std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return Error::make(Code::kNotFound,
                     fmt::format("IPAM plugin \"{}\" is in none of the CNI_PATH directories: {}",
                                 type, fmt::join(delegate.path, ", ")));
}

std::vector<std::string> environment_of(const Delegate& delegate, std::string_view command) {
  return {fmt::format("CNI_COMMAND={}", command),
          fmt::format("CNI_CONTAINERID={}", delegate.container_id),
          fmt::format("CNI_NETNS={}", delegate.netns),
          fmt::format("CNI_IFNAME={}", delegate.if_name),
          fmt::format("CNI_ARGS={}", delegate.args),
          fmt::format("CNI_PATH={}", fmt::join(delegate.path, ":")),
          "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
}

// The last line or two are what an operator needs; a stack trace before them is not.
std::string_view tail(std::string_view text) {
  constexpr std::size_t kMost = 400;
  const auto end = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  return text.size() > kMost ? text.substr(text.size() - kMost) : text;
}

Error own_error(const SubprocessOutcome& outcome, const std::string& plugin) {
  if (const auto said = parse_error(outcome.output)) {
    const auto code = said->code == ErrorCode::kTryAgainLater ? Code::kBusy : Code::kIo;
    return Error::make(
        code, fmt::format("{}: code {}: {}{}{}", plugin, static_cast<unsigned>(said->code),
                          said->message, said->details.empty() ? "" : ": ", said->details));
  }
  const auto text = tail(outcome.error_output.empty() ? outcome.output : outcome.error_output);
  return Error::make(Code::kIo, fmt::format("{}: exit code {}: {}", plugin, outcome.exit_code,
                                            text.empty() ? "it said nothing" : text));
}

Result<SubprocessOutcome> run(const Delegate& delegate, const std::string& plugin,
                              std::string_view command, std::string input) {
  return run_subprocess({.path = plugin,
                         .arguments = {},
                         .environment = environment_of(delegate, command),
                         .input = std::move(input),
                         .limit = delegate.limit});
}

}  // namespace

Result<AddResult> ipam_add(const Delegate& delegate) {
  ROCELANE_ASSIGN_OR_RETURN(const auto plugin, find_plugin(delegate));
  ROCELANE_ASSIGN_OR_RETURN(const auto outcome, run(delegate, plugin, "ADD", delegate.input));
  if (outcome.exit_code != 0) {
    return own_error(outcome, plugin);
  }
  return parse_result(outcome.output).with_context("the answer of " + plugin);
}

Result<void> ipam_del(const Delegate& delegate) {
  ROCELANE_ASSIGN_OR_RETURN(const auto plugin, find_plugin(delegate));
  ROCELANE_ASSIGN_OR_RETURN(const auto outcome, run(delegate, plugin, "DEL", delegate.input));
  if (outcome.exit_code == 0) {
    return {};
  }
  // "The runtime does not need to perform any container cleanup" (specification, error codes).
  const auto said = parse_error(outcome.output);
  const bool nothing_left = said && said->code == ErrorCode::kUnknownContainer;
  return nothing_left ? Result<void>() : own_error(outcome, plugin);
}

Result<void> ipam_check(const Delegate& delegate, std::string_view prev_result) {
  ROCELANE_ASSIGN_OR_RETURN(const auto plugin, find_plugin(delegate));  // so it is an object
  ROCELANE_ASSIGN_OR_RETURN(auto document, json::Document::parse(delegate.input));
  const auto previous = json::Document::parse(prev_result);
  if (!previous.ok()) {
    return previous.error().with_context("prevResult");
  }
  document.value()["prevResult"] = previous->value();
  ROCELANE_ASSIGN_OR_RETURN(const auto outcome,
                            run(delegate, plugin, "CHECK", json::encode(document.value())));
  return outcome.exit_code == 0 ? Result<void>() : own_error(outcome, plugin);
}

}  // namespace rocelane::cni
