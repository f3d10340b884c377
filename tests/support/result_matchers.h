// SPDX-License-Identifier: Apache-2.0
// ASSERT_OK(result), EXPECT_OK(result), EXPECT_ERROR(result, Code::kNotFound).
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/result.h"

namespace rocelane::test {

template <typename T>
testing::AssertionResult is_ok(const Result<T>& result) {
  if (result.ok()) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << to_string(result.error().code) << ": " << result.error().message;
}

template <typename T>
testing::AssertionResult has_error(const Result<T>& result, Code code) {
  if (result.ok()) {
    return testing::AssertionFailure() << "it succeeded, want " << to_string(code);
  }
  if (result.error().code != code) {
    return testing::AssertionFailure()
           << "it failed with " << to_string(result.error().code) << " (" << result.error().message
           << "), want " << to_string(code);
  }
  return testing::AssertionSuccess();
}

}  // namespace rocelane::test

#define ASSERT_OK(expression) ASSERT_TRUE(::rocelane::test::is_ok((expression)))
#define EXPECT_OK(expression) EXPECT_TRUE(::rocelane::test::is_ok((expression)))
#define EXPECT_ERROR(expression, code) \
  EXPECT_TRUE(::rocelane::test::has_error((expression), (code)))
