// SPDX-License-Identifier: Apache-2.0
#include "lib/base/file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane {
namespace {

using testing::HasSubstr;

class FileTest : public testing::Test {
 protected:
  [[nodiscard]] std::size_t count() const {
    const auto all = std::filesystem::directory_iterator(dir_.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  test::TempDir dir_;
};

TEST_F(FileTest, atomic_write_is_read_back) {
  for (const auto durability : {Durability::kRename, Durability::kDisk}) {
    const std::string content("a\0b\n", 4);
    ASSERT_OK(write_file_atomic(dir_ / "f", content, durability));
    EXPECT_EQ(*read_file(dir_ / "f"), content);
    EXPECT_EQ(count(), 1U);  // no temporary file is left
  }
}

TEST_F(FileTest, atomic_write_sets_the_mode_whatever_the_umask) {
  const auto before = ::umask(0077);
  ASSERT_OK(write_file_atomic(dir_ / "f", "x", Durability::kRename, 0640));
  ::umask(before);
  struct stat status {};
  ASSERT_EQ(::stat((dir_ / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
}

TEST_F(FileTest, atomic_write_into_a_missing_directory_fails) {
  EXPECT_ERROR(write_file_atomic(dir_ / "absent/f", "x", Durability::kDisk), Code::kNotFound);
  EXPECT_EQ(count(), 0U);
}

TEST_F(FileTest, failed_atomic_write_leaves_no_temporary_file) {
  std::filesystem::create_directories(dir_ / "f/inner");  // rename(2) cannot replace it
  EXPECT_FALSE(write_file_atomic(dir_ / "f", "x", Durability::kDisk).ok());
  EXPECT_EQ(count(), 1U);
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "f"));
}

TEST_F(FileTest, readers_see_the_old_or_the_new_content) {
  ASSERT_OK(write_file_atomic(dir_ / "f", "old", Durability::kRename));
  std::ifstream reader(dir_ / "f");
  ASSERT_OK(write_file_atomic(dir_ / "f", "new", Durability::kRename));
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
  EXPECT_EQ(*read_file(dir_ / "f"), "new");
}

TEST_F(FileTest, reading_nothing_is_not_found_and_names_the_path) {
  const auto text = read_file(dir_ / "absent");
  EXPECT_ERROR(text, Code::kNotFound);
  EXPECT_THAT(text.error().message, HasSubstr(dir_ / "absent"));
  EXPECT_FALSE(read_file(dir_.path()).ok());
}

TEST_F(FileTest, reading_has_a_limit) {
  std::ofstream(dir_ / "f", std::ios::binary) << std::string(kMaxFileBytes, 'x');
  EXPECT_EQ(read_file(dir_ / "f")->size(), kMaxFileBytes);
  std::ofstream(dir_ / "f", std::ios::app) << 'x';
  EXPECT_ERROR(read_file(dir_ / "f"), Code::kInvalidInput);
  EXPECT_ERROR(read_file("/dev/zero"), Code::kInvalidInput);
}

TEST_F(FileTest, removing_is_repeatable) {
  std::ofstream(dir_ / "f") << "x";
  EXPECT_OK(remove_file(dir_ / "f", Durability::kDisk));
  EXPECT_OK(remove_file(dir_ / "f", Durability::kDisk));
  EXPECT_EQ(count(), 0U);
  EXPECT_FALSE(remove_file(dir_.path()).ok());
}

TEST_F(FileTest, directories_are_made_with_their_parents) {
  EXPECT_OK(make_directories(dir_ / "a/b/c"));
  EXPECT_TRUE(std::filesystem::is_directory(dir_ / "a/b/c"));
  EXPECT_OK(make_directories(dir_ / "a/b/c"));
  std::ofstream(dir_ / "file") << "x";
  EXPECT_FALSE(make_directories(dir_ / "file").ok());
  EXPECT_FALSE(make_directories(dir_ / "file/below").ok());
}

}  // namespace
}  // namespace rocelane
