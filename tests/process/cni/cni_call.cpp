// SPDX-License-Identifier: Apache-2.0
#include "tests/process/cni/cni_call.h"

#include <gtest/gtest.h>

#include <chrono>

#include "lib/base/subprocess.h"

namespace rocelane::test {

namespace {

// Emulated machines are slow; a call that hangs is what this bounds.
constexpr std::chrono::milliseconds kLimit{120'000};

}  // namespace

nlohmann::json CniAnswer::json() const {
  return nlohmann::json::parse(output, nullptr, /*allow_exceptions=*/false);
}

int CniAnswer::code() const {
  const auto document = json();
  return document.is_object() ? document.value("code", 0) : 0;
}

std::string CniAnswer::message() const {
  const auto document = json();
  return document.is_object() ? document.value("msg", std::string()) : std::string();
}

CniAnswer call_cni(const CniCall& call) {
  Subprocess request{
      .path = ROCE_CNI_PROGRAM,
      .arguments = {},
      .environment = {"CNI_COMMAND=" + call.command, "PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
      .input = call.input,
      .limit = kLimit};
  if (!call.through.empty()) {
    request.path = call.through.front();
    request.arguments.assign(call.through.begin() + 1, call.through.end());
    request.arguments.emplace_back(ROCE_CNI_PROGRAM);
  }
  for (const auto& [name, value] : call.environment) {
    request.environment.push_back(name + "=" + value);
  }
  auto outcome = run_subprocess(request);
  if (!outcome.ok()) {
    ADD_FAILURE() << outcome.error().message;
    return {.exit_code = -1, .output = {}, .log = {}};
  }
  return {.exit_code = outcome->exit_code, .output = outcome->output, .log = outcome->error_output};
}

}  // namespace rocelane::test
