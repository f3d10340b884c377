// SPDX-License-Identifier: Apache-2.0
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "lib/state/store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/sample_record.h"
#include "tests/support/temp_dir.h"

namespace rocelane::state {
namespace {

// A file system of 64 KiB.
class SmallDisk {
 public:
  SmallDisk() : mounted_(::mount("tmpfs", dir_.path().c_str(), "tmpfs", 0, "size=64k") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) {
      ::umount2(dir_.path().c_str(), MNT_DETACH);
    }
  }

  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] const std::string& path() const { return dir_.path(); }
  void fill() const {
    std::ofstream out(path() + "/filler", std::ios::binary);
    const std::string block(4096, 'x');
    while (out.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }

 private:
  test::TempDir dir_;
  bool mounted_;
};

TEST(DiskFull, is_an_io_error_and_the_old_record_stays) {
  const SmallDisk disk;
  if (!disk.mounted()) {
    GTEST_SKIP() << "cannot mount a tmpfs: " << std::strerror(errno);
  }
  const auto store = Store::open(disk.path());
  ASSERT_OK(store);
  ASSERT_OK(store->save(test::sample_record()));
  disk.fill();
  auto record = test::sample_record();
  record.step = "later";
  EXPECT_ERROR(store->save(record), Code::kIo);
  const auto listing = store->list();
  ASSERT_OK(listing);
  ASSERT_EQ(listing->records.size(), 1U);
  EXPECT_EQ(listing->records[0], test::sample_record());
  EXPECT_TRUE(listing->damaged.empty());
  // Locks and removal still work: DEL must get through on a full disk.
  EXPECT_OK(store->lock_device("0000:3b:00.2", std::chrono::milliseconds(0)));
  EXPECT_OK(store->remove(record));
  EXPECT_TRUE(store->list()->records.empty());
}

}  // namespace
}  // namespace rocelane::state
