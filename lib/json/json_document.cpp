// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rocelane::json {

namespace {

using Json = nlohmann::json;

// Builds the value tree from the parser's events (nlohmann's SAX interface), because only there a
// key given twice and the place of a syntax error are seen.
class Builder {
 public:
  explicit Builder(Json& root, std::vector<std::string>& duplicates)
      : root_(root), duplicates_(duplicates) {}

  [[nodiscard]] const std::string& problem() const { return problem_; }

  bool null() { return place(nullptr); }
  bool boolean(bool value) { return place(value); }
  bool number_integer(Json::number_integer_t value) { return place(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return place(value); }
  bool number_float(Json::number_float_t value, const std::string& /*text*/) {
    return place(value);
  }
  bool string(std::string& value) { return place(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // only in binary formats
  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& frame = frames_.back();
    frame.key = std::move(name);
    if (frame.container->contains(frame.key)) {
      duplicates_.push_back(path());
    }
    return true;
  }

  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) {
    const std::string_view text = error.what();
    const auto prefix = text.find("] ");  // "[json.exception.parse_error.101] parse error at …"
    problem_ = text.substr(prefix == std::string_view::npos ? 0 : prefix + 2);
    return false;
  }

 private:
  struct Frame {
    Json* container;
    std::string key;  // of the member under way
  };

  template <typename T>
  bool place(T&& value) {
    static_cast<void>(add(Json(std::forward<T>(value))));
    return true;
  }

  Json& add(Json value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return root_;
    }
    auto& frame = frames_.back();
    if (frame.container->is_array()) {
      frame.container->push_back(std::move(value));
      return frame.container->back();
    }
    return (*frame.container)[frame.key] = std::move(value);
  }

  bool open(Json container) {
    if (frames_.size() >= kMaxDepth) {
      problem_ = fmt::format("nested deeper than {} levels", kMaxDepth);
      return false;
    }
    Json& placed = add(std::move(container));
    frames_.push_back(Frame{.container = &placed, .key = {}});
    return true;
  }

  bool close() {
    frames_.pop_back();
    return true;
  }

  [[nodiscard]] std::string path() const {
    std::string out = "$";
    for (const auto& frame : frames_) {
      out = frame.container->is_array() ? item_path(out, frame.container->size() - 1)
                                        : member_path(out, frame.key);
    }
    return out;
  }

  Json& root_;
  std::vector<std::string>& duplicates_;
  std::vector<Frame> frames_;
  std::string problem_;
};

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

// `at` is on the opening quote; the answer is behind the closing one.
std::size_t skip_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    at += text[at] == '\\' ? 1 : 0;
  }
  return std::min(at + 1, text.size());
}

std::size_t skip_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) {
      break;
    }
    depth += c == '{' || c == '[' ? 1 : 0;
    depth -= c == '}' || c == ']' ? 1 : 0;
    ++at;
  }
  return at;
}

bool is_plain_word(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-';
  });
}

}  // namespace

Document::Document() : value_(std::make_unique<Json>()) {}
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;
Document::~Document() = default;

Result<Document> Document::parse(std::string_view text) {
  Document document;
  Builder builder(*document.value_, document.duplicates_);
  if (!Json::sax_parse(text, &builder)) {
    return Error::make(Code::kInvalidInput, builder.problem());
  }
  return document;
}

std::string encode(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string encode_pretty(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::string_view> find_member_text(std::string_view document, std::string_view key) {
  std::optional<std::string_view> found;
  std::size_t at = skip_space(document, 0);
  if (at == document.size() || document[at] != '{') {
    return std::nullopt;
  }
  const std::string quoted = encode(Json(key));
  at = skip_space(document, at + 1);
  while (at < document.size() && document[at] == '"') {
    const std::size_t key_end = skip_string(document, at);
    const bool matches = document.substr(at, key_end - at) == quoted;
    const std::size_t begin = skip_space(document, skip_space(document, key_end) + 1);
    const std::size_t end = skip_value(document, begin);
    if (matches) {
      const auto last = document.find_last_not_of(" \t\r\n", end - 1);
      found = document.substr(begin, last + 1 - begin);
    }
    at = skip_space(document, std::min(end + 1, document.size()));
  }
  return found;
}

std::string member_path(std::string_view path, std::string_view key) {
  return is_plain_word(key) ? fmt::format("{}.{}", path, key)
                            : fmt::format("{}[{}]", path, encode(Json(key)));
}

std::string item_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

}  // namespace rocelane::json
