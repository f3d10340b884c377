// SPDX-License-Identifier: Apache-2.0
#include "lib/base/log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "lib/base/unique_fd.h"

namespace rocelane {

void check_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "rocelane: broken invariant %s at %s:%d\n", expression, file, line);
  std::abort();
}

namespace log {

namespace {

// spdlog's format: time level message.
constexpr auto kPattern = "%Y-%m-%dT%H:%M:%S.%e%z %l %v";

spdlog::logger& logger() {
  static const auto kLogger = [] {
    auto made = std::make_shared<spdlog::logger>("rocelane",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern(kPattern);
    made->flush_on(spdlog::level::debug);
    return made;
  }();
  return *kLogger;
}

std::string quoted(std::string_view text) {
  if (!text.empty() && text.find_first_of(" \"=\n\t\\") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c == '\n' ? ' ' : c;
    }
  }
  return out + '"';
}

void write(spdlog::level::level_enum level, std::string_view message,
           std::initializer_list<Field> fields) {
  if (!logger().should_log(level)) {
    return;
  }
  std::string line(message);
  for (const auto& field : fields) {
    line += fmt::format(" {}={}", field.key, quoted(field.value));
  }
  logger().log(level, "{}", line);
}

}  // namespace

Result<Level> parse_level(std::string_view text) {
  if (text == "debug") return Level::kDebug;
  if (text == "info") return Level::kInfo;
  if (text == "warn" || text == "warning") return Level::kWarn;
  if (text == "error" || text == "panic") return Level::kError;
  return Error::make(
      Code::kInvalidInput,
      fmt::format("log level \"{}\" (want debug, info, warning, error or panic)", text));
}

void set_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return logger().set_level(spdlog::level::debug);
    case Level::kInfo:
      return logger().set_level(spdlog::level::info);
    case Level::kWarn:
      return logger().set_level(spdlog::level::warn);
    case Level::kError:
      return logger().set_level(spdlog::level::err);
  }
}

Result<void> append_to_file(const std::string& path) {
  // Tried before spdlog opens it, because spdlog reports failure only by throwing.
  const UniqueFd probe(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!probe.valid()) {
    return Error::from_errno(errno, "opening log file " + path);
  }
  auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  sink->set_pattern(kPattern);
  logger().sinks().push_back(std::move(sink));
  return {};
}

void debug(std::string_view message, std::initializer_list<Field> fields) {
  write(spdlog::level::debug, message, fields);
}
void info(std::string_view message, std::initializer_list<Field> fields) {
  write(spdlog::level::info, message, fields);
}
void warn(std::string_view message, std::initializer_list<Field> fields) {
  write(spdlog::level::warn, message, fields);
}
void error(std::string_view message, std::initializer_list<Field> fields) {
  write(spdlog::level::err, message, fields);
}

}  // namespace log
}  // namespace rocelane
