// SPDX-License-Identifier: Apache-2.0
#include "lib/json/json_reader.h"

#include "tests/support/result_matchers.h"

namespace rocelane::json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Reads with `body` and answers all problems.
template <typename Body>
std::string read(std::string_view text, Body body) {
  const auto document = Document::parse(text);
  EXPECT_OK(document);
  Problems problems;
  {
    Object object(Value(document->value(), "$", problems));
    body(object);
  }
  return problems.to_string();
}

TEST(Object, reads_each_type) {
  EXPECT_EQ(read(R"({"b":true,"s":"x","u":7,"i":-7,"l":["a","b"],"m":{"k":"v"}})",
                 [](Object& object) {
                   bool b = false;
                   std::string s;
                   std::uint16_t u = 0;
                   std::optional<std::int64_t> i;
                   std::vector<std::string> l;
                   std::map<std::string, std::string> m;
                   EXPECT_TRUE(object.read("b", b) && object.read("s", s) && object.read("u", u) &&
                               object.read("i", i) && object.read("l", l) && object.read("m", m));
                   EXPECT_TRUE(b);
                   EXPECT_EQ(s, "x");
                   EXPECT_EQ(u, 7);
                   EXPECT_EQ(i, -7);
                   EXPECT_THAT(l, ElementsAre("a", "b"));
                   EXPECT_THAT(m, ElementsAre(Pair("k", "v")));
                 }),
            "");
}

TEST(Object, absent_or_wrong_keeps_what_was_there) {
  const auto problems = read(R"({"u":"7","i":9223372036854775808,"l":"a"})", [](Object& object) {
    std::uint16_t u = 5;
    std::int64_t i = 5;
    std::optional<std::uint8_t> none;
    std::vector<std::string> l{"old"};
    EXPECT_FALSE(object.read("u", u) || object.read("i", i) || object.read("x", none) ||
                 object.read("l", l));
    EXPECT_EQ(u, 5);
    EXPECT_EQ(i, 5);
    EXPECT_FALSE(none.has_value());
    EXPECT_THAT(l, ElementsAre("old"));
  });
  EXPECT_EQ(problems,
            "$.u: must be a whole number, is a string\n"
            "$.i: must be -9223372036854775808 to 9223372036854775807, is 9223372036854775808\n"
            "$.l: must be a list, is a string");
}

TEST(Object, numbers_have_the_limits_of_their_type) {
  EXPECT_EQ(read(R"({"a":256,"b":-1,"c":1.0,"d":11})",
                 [](Object& object) {
                   std::uint8_t number = 0;
                   object.read("a", number);
                   object.read("b", number);
                   object.read("c", number);
                   object.read("d", number, 1, 10);
                 }),
            "$.a: must be 0-255, is 256\n$.b: must be 0-255, is -1\n"
            "$.c: must be a whole number, is a number with a fraction\n"
            "$.d: must be 1-10, is 11");
}

TEST(Object, keys_nobody_asked_for_are_unknown) {
  EXPECT_EQ(read(R"({"vlna":1,"zzz":2,"a.b":3,"seen":4,"x/y":5})",
                 [](Object& object) {
                   std::uint16_t vlan = 0;
                   object.read("vlan", vlan);
                   object.allow({"seen"});
                   object.allow_if([](std::string_view key) { return key == "x/y"; });
                 }),
            "$[\"a.b\"]: unknown key\n$.vlna: unknown key (did you mean vlan?)\n"
            "$.zzz: unknown key");
}

TEST(Object, of_another_type_is_one_problem) {
  EXPECT_EQ(read("[1]",
                 [](Object& object) {
                   std::string text;
                   EXPECT_FALSE(object.require("a").has_value());
                   EXPECT_FALSE(object.read("b", text));
                 }),
            "$: must be an object, is a list");
}

TEST(Object, choices_are_listed_and_suggested) {
  EXPECT_EQ(read(R"({"a":"Two","b":"one"})",
                 [](Object& object) {
                   int number = 0;
                   EXPECT_FALSE(object.choose<int>("a", number, {{"one", 1}, {"two", 2}}));
                   EXPECT_TRUE(object.choose<int>("b", number, {{"one", 1}, {"two", 2}}));
                   EXPECT_EQ(number, 1);
                 }),
            "$.a: must be \"one\" or \"two\", is \"Two\" (did you mean two?)");
}

TEST(Object, nested_values_know_their_path) {
  EXPECT_EQ(read(R"({"a":[{"b":{"c":[1,"x"]}}]})",
                 [](Object& object) {
                   const auto list = object.require("a");
                   ASSERT_TRUE(list.has_value());
                   for (const auto& item : list->items()) {
                     Object inner(item);
                     const auto b = inner.find("b");
                     ASSERT_TRUE(b.has_value());
                     std::vector<std::string> texts;
                     Object(*b).read("c", texts);
                   }
                 }),
            "$.a[0].b.c[0]: must be a string, is a number");
}

TEST(Problems, are_cut_after_a_hundred) {
  Problems problems;
  EXPECT_OK(problems.to_result());
  for (int i = 0; i < 150; ++i) {
    problems.add("$", "bad");
  }
  EXPECT_ERROR(problems.to_result(), Code::kInvalidInput);
  EXPECT_THAT(problems.to_string(), HasSubstr("\nand 50 more"));
}

TEST(Problems, of_keys_given_twice) {
  const auto document = Document::parse(R"({"a":1,"a":1})");
  ASSERT_OK(document);
  Problems problems;
  report_duplicates(*document, problems);
  EXPECT_EQ(problems.to_string(), "$.a: is given twice");
}

}  // namespace
}  // namespace rocelane::json
