// SPDX-License-Identifier: Apache-2.0
// Request: strict reading of one JSON object. Remembers what is wrong first, with its path, and
// which keys were read, so that an unknown one is an error and not a fault that never fires.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lib/base/error.h"
#include "lib/base/result.h"

namespace rocelane::lab {

struct Range {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// `object` must outlive the request. Getters answer nothing when the key is absent or wrong.
class Request {
 public:
  // `path` stands before the keys in messages: "" or "match.".
  Request(const nlohmann::json& object, std::string path);

  std::optional<std::string> string(std::string_view key);
  std::optional<std::uint64_t> integer(std::string_view key, Range range);
  // As integer(), also as "0x0800".
  std::optional<std::uint64_t> hexadecimal(std::string_view key, Range range);
  std::optional<double> number(std::string_view key, double from, double to);
  // The nested object; null when absent or not an object.
  const nlohmann::json* object(std::string_view key);

  // An absent value becomes an error.
  template <typename T>
  T required(std::string_view key, std::optional<T> value) {
    if (!value) {
      fail(key, "is missing");
    }
    return value.value_or(T{});
  }
  void fail(std::string_view key, std::string_view problem);

  // The first problem, or else the first key that nothing asked for.
  [[nodiscard]] Result<void> finish() const;

 private:
  const nlohmann::json* find(std::string_view key);

  const nlohmann::json& object_;
  std::string path_;
  std::set<std::string, std::less<>> known_;
  std::optional<Error> error_;
};

}  // namespace rocelane::lab
