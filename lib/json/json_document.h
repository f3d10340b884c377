// SPDX-License-Identifier: Apache-2.0
// Document: a parsed JSON text (RFC 8259). Nothing here throws; what is wrong is said with line and
// column. Only lib/config, lib/state and lib/cni use this folder.
#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::json {

// Deeper nesting is refused: encoding recurses once per level.
inline constexpr std::size_t kMaxDepth = 64;

class Document {
 public:
  // Malformed, deeper than kMaxDepth, or not UTF-8: kInvalidInput, with line and column.
  static Result<Document> parse(std::string_view text);

  Document(Document&&) noexcept;
  Document& operator=(Document&&) noexcept;
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;
  ~Document();

  [[nodiscard]] const nlohmann::json& value() const { return *value_; }
  [[nodiscard]] nlohmann::json& value() { return *value_; }
  // Paths of keys that an object has twice; value() has the last one.
  [[nodiscard]] const std::vector<std::string>& duplicates() const { return duplicates_; }

 private:
  Document();
  std::unique_ptr<nlohmann::json> value_;
  std::vector<std::string> duplicates_;
};

// Compact text with sorted keys. Bytes that are not UTF-8 become U+FFFD, because JSON has no other
// bytes.
std::string encode(const nlohmann::json& value);
// The same, two spaces per level and a final newline: for files that people read.
std::string encode_pretty(const nlohmann::json& value);

// The value of a top-level member exactly as written in `document`, which Document::parse()
// accepted; of a key given twice the last, nullopt when the text has no such member.
std::optional<std::string_view> find_member_text(std::string_view document, std::string_view key);

// "$.a", then "$.a.b", or "$.a[\"x.y\"]" for a key that is not a plain word; "$.a[3]".
std::string member_path(std::string_view path, std::string_view key);
std::string item_path(std::string_view path, std::size_t index);

}  // namespace rocelane::json
