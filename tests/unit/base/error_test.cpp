// SPDX-License-Identifier: Apache-2.0
#include "lib/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "lib/base/deadline.h"
#include "lib/base/version.h"

namespace rocelane {
namespace {

TEST(Error, from_errno_keeps_number_and_sentence) {
  const auto error = Error::from_errno(EOPNOTSUPP, "NLDEV_CMD_SET");
  EXPECT_EQ(error.code, Code::kUnsupported);
  EXPECT_EQ(error.sys_errno, EOPNOTSUPP);
  EXPECT_EQ(error.message, "NLDEV_CMD_SET: Operation not supported");
}

TEST(Error, context_comes_in_front_and_changes_nothing_else) {
  const auto error = Error::from_errno(ENODEV, "link").with_context("moving eth1");
  EXPECT_EQ(error.message, "moving eth1: link: No such device");
  EXPECT_EQ(error.code, Code::kNotFound);
  EXPECT_EQ(error.sys_errno, ENODEV);
}

TEST(Error, codes_follow_the_errno) {
  EXPECT_EQ(code_from_errno(ENOENT), Code::kNotFound);
  EXPECT_EQ(code_from_errno(EEXIST), Code::kAlreadyExists);
  EXPECT_EQ(code_from_errno(EBUSY), Code::kBusy);
  EXPECT_EQ(code_from_errno(ETIMEDOUT), Code::kTimeout);
  EXPECT_EQ(code_from_errno(EROFS), Code::kPermission);
  EXPECT_EQ(code_from_errno(ENOSPC), Code::kIo);
  EXPECT_EQ(code_from_errno(EINVAL), Code::kKernel);
}

TEST(Error, every_code_has_a_name) {
  for (const auto code :
       {Code::kNotFound, Code::kAlreadyExists, Code::kInvalidInput, Code::kUnsupported, Code::kBusy,
        Code::kTimeout, Code::kPermission, Code::kIo, Code::kKernel}) {
    EXPECT_NE(to_string(code), "unknown");
  }
}

TEST(Deadline, passed_has_nothing_left) {
  const auto now = Deadline::after(std::chrono::milliseconds(0));
  EXPECT_TRUE(now.passed());
  EXPECT_EQ(now.left().count(), 0);
  const auto later = Deadline::after(std::chrono::hours(1));
  EXPECT_FALSE(later.passed());
  EXPECT_GT(later.left(), std::chrono::minutes(59));
}

TEST(Version, has_three_numbers) {
  EXPECT_EQ(std::count(version().begin(), version().end(), '.'), 2);
}

}  // namespace
}  // namespace rocelane
