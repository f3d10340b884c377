// SPDX-License-Identifier: Apache-2.0
#include "lib/json/suggestion.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <vector>

namespace rocelane::json {

namespace {

// A longer word is no slip of the pen, and the distance costs length × length.
constexpr std::size_t kLongestWord = 64;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// Levenshtein distance, one row at a time.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string_view> find_similar(std::string_view word,
                                             std::span<const std::string_view> known) {
  if (word.size() > kLongestWord) {
    return std::nullopt;
  }
  const std::string wanted = lower(word);
  std::size_t best = std::max<std::size_t>(2, word.size() / 3) + 1;
  std::optional<std::string_view> nearest;
  for (const auto candidate : known) {
    const std::size_t edits = distance(wanted, lower(candidate));
    // Two edits of a two-letter word leave nothing in common.
    if (edits < best && edits < std::min(word.size(), candidate.size())) {
      best = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace rocelane::json
