// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/request.h"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

namespace rocelane::lab {

namespace {

constexpr int kHexadecimal = 16;

std::optional<std::uint64_t> parse_hexadecimal(std::string_view text) {
  if (!text.starts_with("0x")) {
    return std::nullopt;
  }
  text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, status] =
      std::from_chars(text.data(), text.data() + text.size(), value, kHexadecimal);
  if (status != std::errc{} || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::uint64_t> within(std::optional<std::uint64_t> value, Range range) {
  return value && *value >= range.from && *value <= range.to ? value : std::nullopt;
}

std::optional<std::uint64_t> unsigned_of(const nlohmann::json& value) {
  return value.is_number_unsigned() ? std::optional(value.get<std::uint64_t>()) : std::nullopt;
}

}  // namespace

Request::Request(const nlohmann::json& object, std::string path)
    : object_(object), path_(std::move(path)) {}

const nlohmann::json* Request::find(std::string_view key) {
  known_.emplace(key);
  const auto found = object_.find(std::string(key));
  return found == object_.end() ? nullptr : &*found;
}

void Request::fail(std::string_view key, std::string_view problem) {
  if (!error_) {
    error_ = Error::make(Code::kInvalidInput, fmt::format("{}{} {}", path_, key, problem));
  }
}

std::optional<std::string> Request::string(std::string_view key) {
  const auto* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    fail(key, "must be a string");
    return std::nullopt;
  }
  return value->get<std::string>();
}

std::optional<std::uint64_t> Request::integer(std::string_view key, Range range) {
  const auto* value = find(key);
  const auto read = value == nullptr ? std::nullopt : within(unsigned_of(*value), range);
  if (value != nullptr && !read) {
    fail(key, fmt::format("must be an integer from {} to {}", range.from, range.to));
  }
  return read;
}

std::optional<std::uint64_t> Request::hexadecimal(std::string_view key, Range range) {
  const auto* value = find(key);
  if (value == nullptr || !value->is_string()) {
    return integer(key, range);
  }
  const auto read = within(parse_hexadecimal(value->get<std::string>()), range);
  if (!read) {
    fail(key, fmt::format("must be from 0x{:04x} to 0x{:04x}", range.from, range.to));
  }
  return read;
}

std::optional<double> Request::number(std::string_view key, double from, double to) {
  const auto* value = find(key);
  if (value == nullptr) {
    return std::nullopt;
  }
  const double read = value->is_number() ? value->get<double>() : from - 1;
  if (read < from || read > to) {
    fail(key, fmt::format("must be a number from {} to {}", from, to));
    return std::nullopt;
  }
  return read;
}

const nlohmann::json* Request::object(std::string_view key) {
  const auto* value = find(key);
  if (value != nullptr && !value->is_object()) {
    fail(key, "must be an object");
    return nullptr;
  }
  return value;
}

Result<void> Request::finish() const {
  if (error_) {
    return *error_;
  }
  for (const auto& item : object_.items()) {
    if (known_.find(item.key()) == known_.end()) {
      return Error::make(Code::kInvalidInput, fmt::format("unknown key {}{}", path_, item.key()));
    }
  }
  return {};
}

}  // namespace rocelane::lab
