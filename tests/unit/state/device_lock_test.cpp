// SPDX-License-Identifier: Apache-2.0
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <future>

#include "lib/state/store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::state {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr milliseconds kLong{10'000};
constexpr auto kDevice = "0000:3b:00.2";

// A process that holds the lock until it is told to end.
class Holder {
 public:
  explicit Holder(const std::string& state_dir) {
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe(ready.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ready[0]);
      const auto store = Store::open(state_dir);
      const auto lock =
          store.ok() ? store->lock_device(kDevice, kLong) : Result<DeviceLock>(store.error());
      [[maybe_unused]] const auto n = ::write(ready[1], lock.ok() ? "1" : "0", 1);
      ::pause();
      ::_exit(0);
    }
    ::close(ready[1]);
    char answer = '0';
    EXPECT_EQ(::read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, '1');
    ::close(ready[0]);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  ~Holder() { kill(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
  }

 private:
  pid_t pid_ = -1;
};

class DeviceLockTest : public testing::Test {
 protected:
  [[nodiscard]] Store store() const {
    auto opened = Store::open(dir_.path());
    EXPECT_OK(opened);
    return std::move(*opened);
  }
  test::TempDir dir_;
};

TEST_F(DeviceLockTest, is_exclusive_within_one_process_too) {
  const auto s = store();
  auto first = s.lock_device(kDevice, milliseconds(0));
  ASSERT_OK(first);
  EXPECT_ERROR(s.lock_device(kDevice, milliseconds(0)), Code::kBusy);
  EXPECT_OK(s.lock_device("0000:3b:00.3", milliseconds(0)));
}

TEST_F(DeviceLockTest, is_free_again_when_the_object_ends) {
  const auto s = store();
  { ASSERT_OK(s.lock_device(kDevice, milliseconds(0))); }
  auto lock = s.lock_device(kDevice, milliseconds(0));
  ASSERT_OK(lock);
  DeviceLock moved = std::move(*lock);
  EXPECT_ERROR(s.lock_device(kDevice, milliseconds(0)), Code::kBusy);
}

TEST_F(DeviceLockTest, held_by_another_process_names_its_pid) {
  const Holder holder(dir_.path());
  const auto lock = store().lock_device(kDevice, milliseconds(50));
  EXPECT_ERROR(lock, Code::kBusy);
  EXPECT_THAT(lock.error().message, HasSubstr("process " + std::to_string(holder.pid())));
  EXPECT_THAT(lock.error().message, HasSubstr(kDevice));
}

TEST_F(DeviceLockTest, waits_no_longer_than_the_limit_and_without_spinning) {
  const Holder holder(dir_.path());
  const auto s = store();
  const auto begin = std::chrono::steady_clock::now();
  const auto cpu_begin = std::clock();
  EXPECT_ERROR(s.lock_device(kDevice, milliseconds(300)), Code::kBusy);
  const auto waited = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(waited, milliseconds(300));
  EXPECT_LT(waited, milliseconds(3000));
  EXPECT_LT(std::clock() - cpu_begin, CLOCKS_PER_SEC / 10);
}

TEST_F(DeviceLockTest, is_free_when_the_holder_was_killed) {
  Holder holder(dir_.path());
  const auto s = store();
  auto waiting = std::async(std::launch::async, [&] { return s.lock_device(kDevice, kLong).ok(); });
  holder.kill();
  EXPECT_TRUE(waiting.get());
}

TEST_F(DeviceLockTest, odd_device_ids_stay_inside_the_directory) {
  const auto s = store();
  for (const auto* id : {"../../x", "a/b", ".", "..", ".x", "", "sf 1"}) {
    EXPECT_OK(s.lock_device(id, milliseconds(0))) << id;
  }
  EXPECT_FALSE(std::filesystem::exists(dir_ / "x.lock"));
}

TEST_F(DeviceLockTest, read_only_store_has_no_place_for_locks) {
  const auto s = Store::read_only(dir_ / "absent");
  EXPECT_ERROR(s.lock_device(kDevice, milliseconds(0)), Code::kNotFound);
}

}  // namespace
}  // namespace rocelane::state
