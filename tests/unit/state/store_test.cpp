// SPDX-License-Identifier: Apache-2.0
#include "lib/state/store.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/sample_record.h"
#include "tests/support/temp_dir.h"

namespace rocelane::state {
namespace {

using test::sample_record;
using testing::HasSubstr;
using testing::IsEmpty;

class StoreTest : public testing::Test {
 protected:
  [[nodiscard]] Store store() const {
    auto opened = Store::open(dir_.path());
    EXPECT_OK(opened);
    return std::move(*opened);
  }
  [[nodiscard]] std::string attachments() const { return dir_ / "attachments"; }
  [[nodiscard]] std::size_t file_count() const {
    const auto all = std::filesystem::directory_iterator(attachments());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  test::TempDir dir_;
};

TEST_F(StoreTest, saved_record_is_listed) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record()));
  const auto listing = s.list();
  ASSERT_OK(listing);
  ASSERT_EQ(listing->records.size(), 1U);
  EXPECT_EQ(listing->records[0], sample_record());
  EXPECT_THAT(listing->damaged, IsEmpty());
  EXPECT_TRUE(std::filesystem::exists(attachments() + "/c0ffee-roce0.json"));
  EXPECT_EQ(file_count(), 1U);  // no temporary file
}

TEST_F(StoreTest, saving_again_replaces) {
  const auto s = store();
  auto record = sample_record();
  ASSERT_OK(s.save(record));
  record.phase = Phase::kReady;
  ASSERT_OK(s.save(record));
  const auto found = s.find_by_device(record.device_id);
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->phase, Phase::kReady);
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(StoreTest, remove_is_repeatable) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record()));
  EXPECT_OK(s.remove(sample_record()));
  EXPECT_OK(s.remove(sample_record()));
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(StoreTest, remove_takes_what_killed_writers_left) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record()));
  std::ofstream(attachments() + "/.c0ffee-roce0.json.aBcDeF") << "{";
  std::ofstream(attachments() + "/.other-roce0.json.aBcDeF") << "{";
  ASSERT_OK(s.remove(sample_record()));
  EXPECT_FALSE(std::filesystem::exists(attachments() + "/.c0ffee-roce0.json.aBcDeF"));
  EXPECT_TRUE(std::filesystem::exists(attachments() + "/.other-roce0.json.aBcDeF"));
}

TEST_F(StoreTest, read_only_store_of_a_missing_directory_is_empty) {
  const auto s = Store::read_only(dir_ / "absent");
  const auto listing = s.list();
  ASSERT_OK(listing);
  EXPECT_THAT(listing->records, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(dir_ / "absent"));
}

TEST_F(StoreTest, unreadable_directory_is_an_error_and_not_an_empty_list) {
  std::ofstream(dir_ / "file") << "x";
  EXPECT_FALSE(Store::read_only(dir_ / "file").list().ok());
  EXPECT_FALSE(Store::open(dir_ / "file").ok());
}

TEST_F(StoreTest, find_by_device_sees_every_phase_and_only_that_device) {
  const auto s = store();
  auto record = sample_record();
  record.phase = Phase::kReleasing;
  ASSERT_OK(s.save(record));
  ASSERT_OK(s.find_by_device("0000:3b:00.2"));
  EXPECT_TRUE(s.find_by_device("0000:3b:00.2")->has_value());
  EXPECT_FALSE(s.find_by_device("0000:3b:00.3")->has_value());
}

TEST_F(StoreTest, list_container_does_not_mix_ids_that_begin_alike) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record("abc", "roce0")));
  ASSERT_OK(s.save(sample_record("abc", "roce1")));
  ASSERT_OK(s.save(sample_record("abc-def", "roce0")));
  ASSERT_OK(s.save(sample_record("abcd", "roce0")));
  const auto listing = s.list_container("abc");
  ASSERT_OK(listing);
  EXPECT_EQ(listing->records.size(), 2U);
  EXPECT_EQ(s.list_container("abc-def")->records.size(), 1U);
  EXPECT_THAT(s.list_container("ab")->records, IsEmpty());
}

TEST_F(StoreTest, odd_names_have_files_of_their_own_inside_the_directory) {
  const auto s = store();
  const std::vector<std::pair<std::string, std::string>> names{
      {"a", "b-c"},  {"a-b", "c"}, {"a_b.c", "x:1%"}, {"a", "../../etc"},
      {"../a", "b"}, {".a", "b"},  {"a", "größe"},    {"a", "roce0.json"}};
  for (const auto& [container, interface] : names) {
    ASSERT_OK(s.save(sample_record(container, interface)));
  }
  EXPECT_EQ(file_count(), names.size());
  EXPECT_EQ(s.list()->records.size(), names.size());
  for (const auto& [container, interface] : names) {
    ASSERT_OK(s.remove(sample_record(container, interface)));
  }
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(StoreTest, record_that_could_not_be_read_back_is_refused) {
  const auto s = store();
  EXPECT_ERROR(s.save(sample_record("", "roce0")), Code::kInvalidInput);
  EXPECT_ERROR(s.save(sample_record("c", "")), Code::kInvalidInput);
  EXPECT_ERROR(s.save(sample_record(std::string(300, 'a'), "roce0")), Code::kInvalidInput);
  auto record = sample_record();
  record.saved.host_name = "bad\xff";
  EXPECT_ERROR(s.save(record), Code::kInvalidInput);
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(StoreTest, file_cut_at_any_byte_is_listed_as_damaged_with_its_names) {
  const auto s = store();
  const auto text = encode_record(sample_record("c-1", "ro-ce"));
  const auto path = s.record_path("c-1", "ro-ce");
  ASSERT_OK(s.save(sample_record("other", "roce0")));
  // Every single byte is tried on the parser itself (record_test.cpp).
  for (std::size_t size = 0; size < text.rfind('}') + 1; size += 13) {
    std::ofstream(path, std::ios::trunc) << text.substr(0, size);
    const auto listing = s.list();
    ASSERT_OK(listing);
    ASSERT_EQ(listing->records.size(), 1U) << size;
    ASSERT_EQ(listing->damaged.size(), 1U) << size;
    EXPECT_EQ(listing->damaged[0].container_id, "c-1");
    EXPECT_EQ(listing->damaged[0].if_name, "ro-ce");
    EXPECT_FALSE(listing->damaged[0].problem.empty());
  }
  EXPECT_EQ(s.list_container("c-1")->damaged.size(), 1U);
  EXPECT_THAT(s.list_container("other")->damaged, IsEmpty());
  EXPECT_THAT(s.list_container("c")->damaged, IsEmpty());
  EXPECT_OK(s.remove(sample_record("c-1", "ro-ce")));
  EXPECT_THAT(s.list()->damaged, IsEmpty());
}

TEST_F(StoreTest, copy_under_another_name_does_not_hold_the_device_twice) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record()));
  std::filesystem::copy(s.record_path("c0ffee", "roce0"), attachments() + "/backup-roce0.json");
  const auto listing = s.list();
  EXPECT_EQ(listing->records.size(), 1U);
  ASSERT_EQ(listing->damaged.size(), 1U);
  EXPECT_THAT(listing->damaged[0].path, HasSubstr("backup-roce0.json"));
}

TEST_F(StoreTest, other_files_are_none_of_its_business) {
  const auto s = store();
  std::ofstream(attachments() + "/README") << "x";
  std::ofstream(attachments() + "/.c-roce0.json.tmpXYZ") << "{";
  EXPECT_THAT(s.list()->damaged, IsEmpty());
}

TEST_F(StoreTest, failing_save_keeps_the_old_record) {
  const auto s = store();
  ASSERT_OK(s.save(sample_record()));
  auto record = sample_record();
  record.step = "later";
  // A directory in the place of the file cannot be replaced by rename(2), root or not.
  const auto path = s.record_path("c0ffee", "roce0");
  std::filesystem::rename(path, path + ".keep");
  std::filesystem::create_directories(path + "/x");
  EXPECT_FALSE(s.save(record).ok());
  std::filesystem::remove_all(path);
  std::filesystem::rename(path + ".keep", path);
  EXPECT_EQ(s.list()->records[0].step, "move-netdev");
  EXPECT_EQ(file_count(), 1U);
}

TEST(BootId, is_read_without_the_newline) {
  const test::TempDir proc;
  ASSERT_OK(make_directories(proc / "sys/kernel/random"));
  EXPECT_ERROR(read_boot_id(proc.path()), Code::kNotFound);
  std::ofstream(proc / "sys/kernel/random/boot_id") << "1b4e28ba\n";
  const auto id = read_boot_id(proc.path());
  ASSERT_OK(id);
  EXPECT_EQ(*id, "1b4e28ba");
}

}  // namespace
}  // namespace rocelane::state
