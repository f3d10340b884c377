// SPDX-License-Identifier: Apache-2.0
// Logging to stderr: one line per event, key=value after the message. spdlog stays behind log.cpp.
//   log::info("vf moved", {{"device", id}, {"netns", path}});
// error: an operator must act; warn: handled but degraded; info: state change; debug: each kernel
// request. An error is logged once, by whoever decides not to pass it on. Thread-safe.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/base/result.h"

namespace rocelane::log {

enum class Level { kDebug, kInfo, kWarn, kError };

struct Field {
  std::string_view key;
  std::string value;  // quoted when it has spaces or quotes
};

// "debug", "info", "warning"/"warn", "error", "panic" (sriov-cni's names); else kInvalidInput.
Result<Level> parse_level(std::string_view text);

// Once, before threads. An unopenable file is an error and stderr stays in use.
void set_level(Level level);
Result<void> append_to_file(const std::string& path);

void debug(std::string_view message, std::initializer_list<Field> fields = {});
void info(std::string_view message, std::initializer_list<Field> fields = {});
void warn(std::string_view message, std::initializer_list<Field> fields = {});
void error(std::string_view message, std::initializer_list<Field> fields = {});

}  // namespace rocelane::log
