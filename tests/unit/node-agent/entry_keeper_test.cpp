// SPDX-License-Identifier: Apache-2.0
#include "node-agent/entry_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kProviders =
    R"({"cniVersion":"1.0.0","name":"k8s","plugins":[{"type":"bridge"}]})";

class EntryKeeperTest : public testing::Test {
 protected:
  void provider_writes() {
    ASSERT_OK(write_file_atomic(dir_ / "10-k8s.conflist", kProviders, Durability::kRename));
  }
  std::string content() {
    auto text = read_file(dir_ / "10-k8s.conflist");
    return text.ok() ? *text : text.error().message;
  }

  test::TempDir dir_;
  EntryKeeper keeper_{dir_.path(), {}};
  EntryKeeper::Clock::time_point now_{};
};

TEST_F(EntryKeeperTest, waits_for_a_network_without_hurry) {
  EXPECT_EQ(keeper_.keep(now_), std::nullopt);
  provider_writes();
  EXPECT_EQ(keeper_.keep(now_), std::nullopt);
  EXPECT_THAT(content(), HasSubstr("roce-cni"));
}

TEST_F(EntryKeeperTest, entry_comes_back_after_each_rewrite_of_the_provider) {
  for (int i = 0; i < 5; ++i) {
    provider_writes();
    EXPECT_EQ(keeper_.keep(now_), std::nullopt);
    EXPECT_THAT(content(), HasSubstr("roce-cni"));
    now_ += seconds(1);
  }
}

TEST_F(EntryKeeperTest, a_fight_is_slowed_down_and_never_given_up) {
  for (std::size_t i = 1; i < RewriteGuard::kLimit; ++i) {
    provider_writes();
    EXPECT_EQ(keeper_.keep(now_), std::nullopt);
    now_ += seconds(1);
  }
  provider_writes();
  EXPECT_EQ(keeper_.keep(now_), EntryKeeper::kSlowed);

  provider_writes();
  now_ += seconds(1);
  EXPECT_EQ(keeper_.keep(now_), EntryKeeper::kSlowed - seconds(1)) << "no rewrite in the pause";
  EXPECT_THAT(content(), Not(HasSubstr("roce-cni")));

  now_ += EntryKeeper::kSlowed;
  static_cast<void>(keeper_.keep(now_));
  EXPECT_THAT(content(), HasSubstr("roce-cni"));
}

TEST_F(EntryKeeperTest, slow_rewrites_are_no_fight) {
  for (int i = 0; i < 30; ++i) {
    provider_writes();
    EXPECT_EQ(keeper_.keep(now_), std::nullopt);
    now_ += seconds(7);
  }
}

}  // namespace
}  // namespace rocelane::agent
