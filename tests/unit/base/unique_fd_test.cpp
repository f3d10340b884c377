// SPDX-License-Identifier: Apache-2.0
#include "lib/base/unique_fd.h"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace rocelane {
namespace {

int open_null() { return ::open("/dev/null", O_RDONLY | O_CLOEXEC); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, closes_at_the_end) {
  int number = -1;
  {
    const UniqueFd fd(open_null());
    number = fd.get();
    EXPECT_TRUE(fd.valid());
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, move_assignment_closes_the_old_one_and_takes_the_new_one) {
  UniqueFd a(open_null());
  UniqueFd b(open_null());
  const int old = a.get();
  const int kept = b.get();
  a = std::move(b);
  EXPECT_FALSE(is_open(old));
  EXPECT_TRUE(is_open(kept));
  EXPECT_EQ(a.get(), kept);
  EXPECT_FALSE(b.valid());  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(UniqueFd, assignment_to_itself_keeps_it_open) {
  UniqueFd fd(open_null());
  auto& same = fd;
  fd = std::move(same);
  EXPECT_TRUE(is_open(fd.get()));
}

TEST(UniqueFd, moved_from_owns_nothing) {
  UniqueFd a(open_null());
  const int number = a.get();
  {
    const UniqueFd b(std::move(a));
    EXPECT_EQ(b.get(), number);
  }
  EXPECT_FALSE(is_open(number));
  EXPECT_FALSE(a.valid());  // NOLINT(bugprone-use-after-move): that is what is tested
}

TEST(UniqueFd, release_gives_up_ownership) {
  int number = -1;
  {
    UniqueFd fd(open_null());
    number = fd.release();
    EXPECT_FALSE(fd.valid());
  }
  EXPECT_TRUE(is_open(number));
  const UniqueFd again(number);
}

TEST(UniqueFd, reset_closes_and_may_take_another) {
  UniqueFd fd(open_null());
  const int first = fd.get();
  const int second = open_null();
  fd.reset(second);
  EXPECT_FALSE(is_open(first));
  EXPECT_EQ(fd.get(), second);
  fd.reset();
  EXPECT_FALSE(is_open(second));
}

}  // namespace
}  // namespace rocelane
