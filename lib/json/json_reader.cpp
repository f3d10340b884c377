// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/json/suggestion.h"

namespace rocelane::json {

namespace {

std::string_view name_of(const nlohmann::json& json) {
  switch (json.type()) {
    case nlohmann::json::value_t::null:
      return "null";
    case nlohmann::json::value_t::object:
      return "an object";
    case nlohmann::json::value_t::array:
      return "a list";
    case nlohmann::json::value_t::string:
      return "a string";
    case nlohmann::json::value_t::boolean:
      return "true or false";
    case nlohmann::json::value_t::number_float:
      return "a number with a fraction";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
      return "a number";
    default:
      return "no JSON value";
  }
}

std::string list_of(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : (i + 1 == names.size() ? " or " : ", ");
    out += fmt::format("\"{}\"", names[i]);
  }
  return out;
}

}  // namespace

void Problems::add(std::string_view path, std::string_view message) {
  if (lines_.size() >= kMost) {
    ++left_out_;
    return;
  }
  lines_.push_back(fmt::format("{}: {}", path, message));
}

std::string Problems::to_string() const {
  std::string out = fmt::format("{}", fmt::join(lines_, "\n"));
  return left_out_ == 0 ? out : out + fmt::format("\nand {} more", left_out_);
}

Result<void> Problems::to_result() const {
  return empty() ? Result<void>() : Error::make(Code::kInvalidInput, to_string());
}

void report_duplicates(const Document& document, Problems& problems) {
  for (const auto& path : document.duplicates()) {
    problems.add(path, "is given twice");
  }
}

bool Value::is_null() const { return json_->is_null(); }
bool Value::is_array() const { return json_->is_array(); }
bool Value::is_object() const { return json_->is_object(); }
bool Value::is_text() const { return json_->is_string(); }

bool Value::expect(bool matches, std::string_view wanted) const {
  if (!matches) {
    problem(fmt::format("must be {}, is {}", wanted, name_of(*json_)));
  }
  return matches;
}

std::optional<bool> Value::boolean() const {
  if (!expect(json_->is_boolean(), "true or false")) {
    return std::nullopt;
  }
  return *json_->get_ptr<const bool*>();
}

std::optional<std::string> Value::text() const {
  if (!expect(json_->is_string(), "a string")) {
    return std::nullopt;
  }
  return *json_->get_ptr<const std::string*>();
}

std::optional<std::uint64_t> Value::number(std::uint64_t min, std::uint64_t max) const {
  if (!expect(json_->is_number_integer(), "a whole number")) {
    return std::nullopt;
  }
  // number_integer in this library holds only what is below zero.
  const auto* number = json_->get_ptr<const nlohmann::json::number_unsigned_t*>();
  if (number == nullptr || *number < min || *number > max) {
    problem(fmt::format("must be {}-{}, is {}", min, max, encode(*json_)));
    return std::nullopt;
  }
  return *number;
}

std::optional<std::int64_t> Value::signed_number(std::int64_t min, std::int64_t max) const {
  if (!expect(json_->is_number_integer(), "a whole number")) {
    return std::nullopt;
  }
  const auto* positive = json_->get_ptr<const nlohmann::json::number_unsigned_t*>();
  const bool fits = positive == nullptr || std::in_range<std::int64_t>(*positive);
  const std::int64_t number = positive == nullptr
                                  ? *json_->get_ptr<const nlohmann::json::number_integer_t*>()
                                  : static_cast<std::int64_t>(*positive);
  if (!fits || number < min || number > max) {
    problem(fmt::format("must be {} to {}, is {}", min, max, encode(*json_)));
    return std::nullopt;
  }
  return number;
}

std::vector<Value> Value::items() const {
  std::vector<Value> out;
  if (expect(json_->is_array(), "a list")) {
    for (std::size_t i = 0; i < json_->size(); ++i) {
      out.emplace_back((*json_)[i], item_path(path_, i), *problems_);
    }
  }
  return out;
}

std::vector<std::pair<std::string, Value>> Value::members() const {
  std::vector<std::pair<std::string, Value>> out;
  if (expect(json_->is_object(), "an object")) {
    for (const auto& [key, value] : json_->items()) {
      out.emplace_back(key, Value(value, member_path(path_, key), *problems_));
    }
  }
  return out;
}

std::vector<std::string> Value::texts() const {
  std::vector<std::string> out;
  for (const auto& item : items()) {
    if (auto text = item.text()) {
      out.push_back(std::move(*text));
    }
  }
  return out;
}

std::map<std::string, std::string> Value::text_map() const {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : members()) {
    if (auto text = value.text()) {
      out.emplace(key, std::move(*text));
    }
  }
  return out;
}

Object::Object(Value value) : value_(std::move(value)) {
  if (!value_.is_object()) {
    value_.problem(fmt::format("must be an object, is {}", name_of(value_.json())));
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): only for want of memory, which ends the program
Object::~Object() {
  if (!value_.is_object()) {
    return;
  }
  const std::vector<std::string_view> known(known_.begin(), known_.end());
  for (const auto& [key, value] : value_.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end() || (accept_ && accept_(key))) {
      continue;
    }
    const auto similar = find_similar(key, known);
    problem(key, similar ? fmt::format("unknown key (did you mean {}?)", *similar) : "unknown key");
  }
}

std::string Object::path_to(std::string_view key) const { return member_path(value_.path(), key); }

void Object::problem(std::string_view key, std::string_view message) const {
  problems().add(path_to(key), message);
}

std::optional<Value> Object::find(std::string_view key) {
  known_.emplace_back(key);
  if (!value_.is_object()) {
    return std::nullopt;
  }
  const auto found = value_.json().find(key);
  if (found == value_.json().end()) {
    return std::nullopt;
  }
  return Value(*found, path_to(key), problems());
}

std::optional<Value> Object::require(std::string_view key) {
  auto found = find(key);
  if (!found && value_.is_object()) {
    problem(key, "is missing");
  }
  return found;
}

void Object::allow(std::initializer_list<std::string_view> keys) {
  known_.insert(known_.end(), keys.begin(), keys.end());
}

bool Object::read(std::string_view key, bool& into) {
  const auto found = find(key);
  const auto value = found ? found->boolean() : std::nullopt;
  into = value.value_or(into);
  return value.has_value();
}

bool Object::read(std::string_view key, std::string& into) {
  const auto found = find(key);
  auto value = found ? found->text() : std::nullopt;
  if (value) {
    into = std::move(*value);
  }
  return value.has_value();
}

bool Object::read(std::string_view key, std::vector<std::string>& into) {
  const auto found = find(key);
  if (!found || !found->is_array()) {
    return found && !found->items().empty();  // records that it is no list
  }
  into = found->texts();
  return true;
}

bool Object::read(std::string_view key, std::map<std::string, std::string>& into) {
  const auto found = find(key);
  if (!found) {
    return false;
  }
  into = found->text_map();
  return found->is_object();
}

void Object::bad_choice(std::string_view key, std::string_view text,
                        const std::vector<std::string_view>& names) const {
  const auto similar = find_similar(text, names);
  problem(key, fmt::format("must be {}, is \"{}\"{}", list_of(names), text,
                           similar ? fmt::format(" (did you mean {}?)", *similar) : ""));
}

}  // namespace rocelane::json
