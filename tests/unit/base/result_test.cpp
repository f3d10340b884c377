// SPDX-License-Identifier: Apache-2.0
#include "lib/base/result.h"

#include <memory>
#include <optional>
#include <string>

#include "lib/base/scope_guard.h"
#include "tests/support/result_matchers.h"

namespace rocelane {
namespace {

Error broken() { return Error::make(Code::kBusy, "broken"); }

Result<void> step(bool works) { return works ? Result<void>() : broken(); }
Result<int> number(bool works) { return works ? Result<int>(7) : broken(); }
Result<std::unique_ptr<int>> owner(bool works) {
  return works ? Result<std::unique_ptr<int>>(std::make_unique<int>(7)) : broken();
}

Result<int> two_steps(bool first, bool second) {
  ROCELANE_RETURN_IF_ERROR(step(first));
  ROCELANE_RETURN_IF_ERROR(step(second).with_context("second"));
  return 2;
}

Result<int> sum(bool first, bool second) {
  ROCELANE_ASSIGN_OR_RETURN(const int a, number(first));
  ROCELANE_ASSIGN_OR_RETURN(const auto b, owner(second).with_context("second"));
  int c = 0;
  ROCELANE_ASSIGN_OR_RETURN(c, number(true));
  return a + *b + c;
}

TEST(Result, macros_go_on_after_success) {
  EXPECT_EQ(*two_steps(true, true), 2);
  EXPECT_EQ(*sum(true, true), 21);
}

TEST(Result, macros_pass_the_first_error_up) {
  EXPECT_EQ(two_steps(false, false).error(), broken());
  EXPECT_EQ(two_steps(true, false).error().message, "second: broken");
  EXPECT_EQ(sum(false, true).error(), broken());
  EXPECT_EQ(sum(true, false).error().message, "second: broken");
  EXPECT_EQ(sum(true, false).error().code, Code::kBusy);
}

TEST(Result, moves_what_cannot_be_copied) {
  auto result = owner(true);
  const std::unique_ptr<int> taken = std::move(*result);
  EXPECT_EQ(*taken, 7);
  EXPECT_EQ(*owner(true).value(), 7);
}

TEST(Result, context_leaves_success_alone) {
  EXPECT_EQ(*number(true).with_context("x"), 7);
  EXPECT_OK(step(true).with_context("x"));
}

TEST(Result, value_or_gives_the_other_on_error) {
  EXPECT_EQ(number(true).value_or(1), 7);
  EXPECT_EQ(number(false).value_or(1), 1);
}

TEST(Result, absence_is_not_an_error) {
  const Result<std::optional<int>> none(std::optional<int>{});
  EXPECT_OK(none);
  EXPECT_FALSE(none->has_value());
}

TEST(ScopeGuard, runs_unless_dismissed) {
  int runs = 0;
  {
    const ScopeGuard guard([&] { ++runs; });
  }
  EXPECT_EQ(runs, 1);
  {
    ScopeGuard guard([&] { ++runs; });
    guard.dismiss();
  }
  EXPECT_EQ(runs, 1);
}

TEST(CheckDeathTest, broken_invariant_aborts_and_says_where) {
  EXPECT_DEATH(ROCELANE_CHECK(1 + 1 == 3), "broken invariant 1 \\+ 1 == 3 at .*result_test.cpp");
}

}  // namespace
}  // namespace rocelane
