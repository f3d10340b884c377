// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json_document.h"

#include <nlohmann/json.hpp>

#include "tests/support/result_matchers.h"

namespace rocelane::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Document, keeps_every_kind_of_value) {
  constexpr std::string_view kText =
      R"({"a":[null,true,-5,18446744073709551615,1.5,"x\n\u00e4"],"o":{"p":{}}})";
  const auto document = Document::parse(kText);
  ASSERT_OK(document);
  EXPECT_EQ(document->value(), nlohmann::json::parse(kText));
  EXPECT_THAT(document->duplicates(), IsEmpty());
}

TEST(Document, syntax_errors_have_line_and_column) {
  const auto document = Document::parse("{\n \"a\": 1,\n}");
  EXPECT_ERROR(document, Code::kInvalidInput);
  EXPECT_THAT(document.error().message, HasSubstr("line 3, column 1"));
}

TEST(Document, other_things_than_one_value_are_refused) {
  for (const auto* text : {"", " ", "{} {}", "nul", "01", "'a'", "{\"a\":\"\xff\"}", "[1,]",
                           "\"\t\"", "1e999", "\xef\xbb"}) {
    const auto document = Document::parse(text);
    EXPECT_ERROR(document, Code::kInvalidInput) << text;
    EXPECT_FALSE(document.ok() || document.error().message.empty());
  }
}

TEST(Document, keys_given_twice_are_remembered_with_their_paths) {
  const auto document =
      Document::parse(R"({"a":1,"b":[{"x":1},{"x":1,"y.z":2,"y.z":{"q":0}}],"a":2})");
  ASSERT_OK(document);
  EXPECT_THAT(document->duplicates(), ElementsAre("$.b[1][\"y.z\"]", "$.a"));
  EXPECT_EQ(document->value()["a"], 2);
}

TEST(Document, nesting_has_a_limit) {
  EXPECT_OK(Document::parse(std::string(kMaxDepth, '[') + std::string(kMaxDepth, ']')));
  EXPECT_ERROR(Document::parse(std::string(kMaxDepth + 1, '[')), Code::kInvalidInput);
  EXPECT_ERROR(Document::parse(std::string(4'000'000, '[')), Code::kInvalidInput);
}

TEST(Encode, is_compact_and_sorted) {
  EXPECT_EQ(encode({{"b", 1}, {"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\",\"b\":1}");
  EXPECT_EQ(encode_pretty({{"a", 1}}), "{\n  \"a\": 1\n}\n");
}

TEST(MemberText, is_exactly_what_was_written) {
  const auto text = [](std::string_view document) {
    EXPECT_OK(Document::parse(document));
    return std::string(find_member_text(document, "k").value_or("none"));
  };
  EXPECT_EQ(text(R"({"k":{"a" : [1.50, "}]"]}})"), R"({"a" : [1.50, "}]"]})");
  EXPECT_EQ(text("{ \"x\":1 , \"k\" :\t-1.0e5 \n}"), "-1.0e5");
  EXPECT_EQ(text(R"({"k":"a\"b\\","x":2})"), R"("a\"b\\")");
  EXPECT_EQ(text(R"({"k":null})"), "null");
  EXPECT_EQ(text(R"({"x":{"k":1},"y":["k",{"k":2}]})"), "none");
  EXPECT_EQ(text(R"({"x":"k","k\"":1})"), "none");
  EXPECT_EQ(text(R"({"k":1,"k":2})"), "2");
  EXPECT_EQ(text("{}"), "none");
  EXPECT_EQ(text("[\"k\"]"), "none");
}

TEST(MemberText, of_cut_documents_never_reads_beyond) {
  constexpr std::string_view kText = R"( { "x" : "\\\"" , "k" : [ { "a" : 1 } ] } )";
  for (std::size_t size = 0; size <= kText.size(); ++size) {
    const std::string copy(kText.substr(0, size));  // so that a sanitizer sees the end
    static_cast<void>(find_member_text(copy, "k"));
  }
}

TEST(Path, quotes_what_is_no_plain_word) {
  EXPECT_EQ(member_path("$", "a-b_1"), "$.a-b_1");
  EXPECT_EQ(member_path("$", "a.b/\""), R"($["a.b/\""])");
  EXPECT_EQ(member_path("$", ""), R"($[""])");
  EXPECT_EQ(item_path("$.a", 3), "$.a[3]");
}

}  // namespace
}  // namespace rocelane::json
