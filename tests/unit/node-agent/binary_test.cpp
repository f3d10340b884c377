// SPDX-License-Identifier: Apache-2.0
#include "node-agent/binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::agent {
namespace {

class BinaryTest : public testing::Test {
 protected:
  void source_is(std::string_view content) {
    ASSERT_OK(write_file_atomic(source_, content, Durability::kRename));
  }
  bool install() {
    auto written = install_binary(source_, target_);
    EXPECT_OK(written);
    return written.ok() && *written;
  }

  test::TempDir dir_;
  std::string source_ = dir_ / "image/program";
  std::string target_ = dir_ / "host/bin/program";

  void SetUp() override { ASSERT_OK(make_directories(dir_ / "image")); }
};

TEST_F(BinaryTest, target_is_an_executable_copy_in_a_directory_that_is_made) {
  source_is("one");
  EXPECT_TRUE(install());
  EXPECT_EQ(*read_file(target_), "one");
  struct stat status {};
  ASSERT_EQ(::stat(target_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST_F(BinaryTest, identical_program_is_left_alone_and_another_one_replaced) {
  source_is("one");
  install();
  EXPECT_FALSE(install());
  source_is("two");
  EXPECT_TRUE(install());
  EXPECT_EQ(*read_file(target_), "two");
}

TEST_F(BinaryTest, lost_permission_is_repaired) {
  source_is("one");
  install();
  ASSERT_EQ(::chmod(target_.c_str(), 0644), 0);
  EXPECT_TRUE(install());
  struct stat status {};
  ASSERT_EQ(::stat(target_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST_F(BinaryTest, content_beyond_one_chunk_is_compared_and_copied_whole) {
  std::string big(300'000, 'a');
  source_is(big);
  EXPECT_TRUE(install());
  big.back() = 'b';
  source_is(big);
  EXPECT_TRUE(install());
  EXPECT_EQ(*read_file(target_), big);
}

TEST_F(BinaryTest, failure_leaves_the_old_program_and_nothing_else) {
  source_is("one");
  install();
  std::filesystem::remove(source_);
  EXPECT_ERROR(install_binary(source_, target_), Code::kNotFound);
  EXPECT_EQ(*read_file(target_), "one");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_ / "host/bin"), {}), 1);
}

}  // namespace
}  // namespace rocelane::agent
