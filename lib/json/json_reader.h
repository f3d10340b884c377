// SPDX-License-Identifier: Apache-2.0
// Strict, typed reading of a parsed JSON document. A Value knows its path; every reader goes on
// after a mistake, so that one answer names all of them. An Object reports each key that nobody
// asked for when it ends, with the known key that looks most like it.
//   Problems problems;
//   Object object(Value(document.value(), "$", problems));
//   object.read("vlan", network.vlan, 0, 4094);
// Borrows the document and the Problems. One thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/base/result.h"
#include "lib/json/json_document.h"

namespace rocelane::json {

// All that is wrong with one document.
class Problems {
 public:
  void add(std::string_view path, std::string_view message);
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  // "$.networks[0].vlan: must be 0-4094, is 5000", one per line; after kMost only a count.
  [[nodiscard]] std::string to_string() const;
  // kInvalidInput with to_string(), or success when there are none.
  [[nodiscard]] Result<void> to_result() const;

 private:
  static constexpr std::size_t kMost = 100;
  std::vector<std::string> lines_;
  std::size_t left_out_ = 0;
};

// A key given twice anywhere in the document is a problem.
void report_duplicates(const Document& document, Problems& problems);

class Value {
 public:
  Value(const nlohmann::json& json, std::string path, Problems& problems)
      : json_(&json), path_(std::move(path)), problems_(&problems) {}

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] Problems& problems() const { return *problems_; }
  [[nodiscard]] const nlohmann::json& json() const { return *json_; }
  void problem(std::string_view message) const { problems_->add(path_, message); }

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_text() const;

  // Another type or a number out of range is a problem, and the answer nullopt or empty.
  [[nodiscard]] std::optional<bool> boolean() const;
  [[nodiscard]] std::optional<std::string> text() const;
  [[nodiscard]] std::optional<std::uint64_t> number(std::uint64_t min, std::uint64_t max) const;
  [[nodiscard]] std::optional<std::int64_t> signed_number(std::int64_t min, std::int64_t max) const;
  [[nodiscard]] std::vector<Value> items() const;
  [[nodiscard]] std::vector<std::pair<std::string, Value>> members() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::map<std::string, std::string> text_map() const;

 private:
  [[nodiscard]] bool expect(bool matches, std::string_view wanted) const;

  const nlohmann::json* json_;
  std::string path_;
  Problems* problems_;
};

template <typename T>
struct Choice {
  std::string_view name;
  T value;
};

class Object {
 public:
  // Not an object: a problem, and every key is absent.
  explicit Object(Value value);
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  Object(Object&&) = delete;
  Object& operator=(Object&&) = delete;
  // NOLINTNEXTLINE(bugprone-exception-escape): only for want of memory, which ends the program
  ~Object();

  [[nodiscard]] const Value& value() const { return value_; }
  [[nodiscard]] Problems& problems() const { return value_.problems(); }
  [[nodiscard]] std::string path_to(std::string_view key) const;
  void problem(std::string_view key, std::string_view message) const;

  // Looking makes the key a known one.
  std::optional<Value> find(std::string_view key);
  // The same; absence is a problem.
  std::optional<Value> require(std::string_view key);
  // Keys that are known though nobody reads them.
  void allow(std::initializer_list<std::string_view> keys);
  // For a format whose later versions add keys: unknown ones are skipped.
  void allow_newer_keys() {
    allow_if([](std::string_view /*key*/) { return true; });
  }
  void allow_if(std::function<bool(std::string_view key)> accept) { accept_ = std::move(accept); }

  // Each answers whether the key is there and right; else `into` keeps what it has.
  bool read(std::string_view key, bool& into);
  bool read(std::string_view key, std::string& into);
  bool read(std::string_view key, std::vector<std::string>& into);
  bool read(std::string_view key, std::map<std::string, std::string>& into);
  template <std::integral T>
  bool read(std::string_view key, T& into, std::type_identity_t<T> min,
            std::type_identity_t<T> max);
  template <std::integral T>
  bool read(std::string_view key, T& into) {
    return read(key, into, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
  template <typename T, typename... Limits>
  bool read(std::string_view key, std::optional<T>& into, Limits... limits);

  // A string that `parser` (Result<T>(std::string_view)) understands; its message is the problem.
  template <typename Into, typename Parser>
  bool parse(std::string_view key, Into& into, Parser parser);
  // A string out of a closed list.
  template <typename T, typename Into>
  bool choose(std::string_view key, Into& into, std::initializer_list<Choice<T>> choices);

 private:
  void bad_choice(std::string_view key, std::string_view text,
                  const std::vector<std::string_view>& names) const;

  Value value_;
  std::vector<std::string> known_;
  std::function<bool(std::string_view)> accept_;
};

template <std::integral T>
bool Object::read(std::string_view key, T& into, std::type_identity_t<T> min,
                  std::type_identity_t<T> max) {
  const auto found = find(key);
  if (!found) {
    return false;
  }
  if constexpr (std::is_signed_v<T>) {
    const auto number = found->signed_number(min, max);
    into = number ? static_cast<T>(*number) : into;
    return number.has_value();
  } else {
    const auto number = found->number(min, max);
    into = number ? static_cast<T>(*number) : into;
    return number.has_value();
  }
}

template <typename T, typename... Limits>
bool Object::read(std::string_view key, std::optional<T>& into, Limits... limits) {
  T value{};
  if (!read(key, value, static_cast<T>(limits)...)) {
    return false;
  }
  into = std::move(value);
  return true;
}

template <typename Into, typename Parser>
bool Object::parse(std::string_view key, Into& into, Parser parser) {
  std::string text;
  if (!read(key, text)) {
    return false;
  }
  auto parsed = parser(std::string_view(text));
  if (!parsed.ok()) {
    problem(key, parsed.error().message);
    return false;
  }
  into = std::move(*parsed);
  return true;
}

template <typename T, typename Into>
bool Object::choose(std::string_view key, Into& into, std::initializer_list<Choice<T>> choices) {
  std::string text;
  if (!read(key, text)) {
    return false;
  }
  std::vector<std::string_view> names;
  for (const auto& choice : choices) {
    if (choice.name == text) {
      into = choice.value;
      return true;
    }
    names.push_back(choice.name);
  }
  bad_choice(key, text, names);
  return false;
}

}  // namespace rocelane::json
