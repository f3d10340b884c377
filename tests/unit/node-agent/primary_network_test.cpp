// SPDX-License-Identifier: Apache-2.0
#include "node-agent/primary_network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::agent {
namespace {

using State = ChainOutcome::State;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kList =
    R"({"cniVersion":"1.0.0","name":"k8s","plugins":[{"type":"bridge"}]})";
constexpr const char* kSingle = R"({"cniVersion":"0.3.1","name":"old","type":"bridge"})";

class PrimaryNetworkTest : public testing::Test {
 protected:
  void write(const std::string& name, std::string_view text, mode_t mode = 0644) {
    ASSERT_OK(write_file_atomic(dir_ / name, text, Durability::kRename, mode));
  }
  std::string read(const std::string& name) {
    auto text = read_file(dir_ / name);
    return text.ok() ? *text : "";
  }
  ChainOutcome ensure() {
    auto outcome = ensure_chained(dir_.path(), {});
    EXPECT_OK(outcome);
    return outcome.ok() ? *outcome : ChainOutcome();
  }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  test::TempDir dir_;
};

TEST_F(PrimaryNetworkTest, first_loadable_file_in_name_order_gets_the_entry) {
  write("20-late.conflist", kList);
  write("05-readme.txt", kList);
  write("06-broken.conflist", "{");
  write("07-single-in-list-name.conflist", kSingle);
  write("08-list-in-single-name.conf", kList);
  write("10-net.conflist", kList);
  const auto outcome = ensure();
  EXPECT_EQ(outcome.state, State::kWritten);
  EXPECT_EQ(outcome.path, dir_ / "10-net.conflist");
  EXPECT_THAT(read("10-net.conflist"), HasSubstr("roce-cni"));
  for (const char* other : {"20-late.conflist", "05-readme.txt", "06-broken.conflist",
                            "07-single-in-list-name.conflist", "08-list-in-single-name.conf"}) {
    EXPECT_THAT(read(other), Not(HasSubstr("roce-cni"))) << other;
  }
}

TEST_F(PrimaryNetworkTest, second_time_nothing_is_written) {
  write("10-net.conflist", kList);
  ensure();
  struct stat before {};
  ASSERT_EQ(::stat((dir_ / "10-net.conflist").c_str(), &before), 0);
  EXPECT_EQ(ensure().state, State::kUnchanged);
  struct stat after {};
  ASSERT_EQ(::stat((dir_ / "10-net.conflist").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino) << "a replaced file makes the runtime load it again";
}

TEST_F(PrimaryNetworkTest, mode_of_the_file_is_kept) {
  write("10-net.conflist", kList, 0600);
  ensure();
  struct stat status {};
  ASSERT_EQ(::stat((dir_ / "10-net.conflist").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(PrimaryNetworkTest, symbolic_link_stays_one) {
  write("real", kList);
  std::filesystem::create_symlink("real", dir_ / "10-net.conflist");
  ensure();
  EXPECT_TRUE(std::filesystem::is_symlink(dir_ / "10-net.conflist"));
  EXPECT_THAT(read("real"), HasSubstr("roce-cni"));
}

TEST_F(PrimaryNetworkTest, empty_or_absent_directory_has_no_network) {
  EXPECT_EQ(ensure().state, State::kNoNetwork);
  const auto outcome = ensure_chained(dir_ / "absent", {});
  ASSERT_OK(outcome);
  EXPECT_EQ(outcome->state, State::kNoNetwork);
}

TEST_F(PrimaryNetworkTest, single_plugin_keeps_its_file_and_a_derived_list_sorts_before_it) {
  write("10-old.conf", kSingle);
  const auto outcome = ensure();
  EXPECT_EQ(outcome.state, State::kWritten);
  EXPECT_EQ(read("10-old.conf"), kSingle);
  ASSERT_THAT(files(), ElementsAre("10-old-rocelane.conflist", "10-old.conf"))
      << "the runtime takes the first one";
  EXPECT_THAT(read("10-old-rocelane.conflist"), HasSubstr("roce-cni"));
  EXPECT_EQ(ensure().state, State::kUnchanged);
}

TEST_F(PrimaryNetworkTest, derived_list_follows_its_original) {
  write("10-old.conf", kSingle);
  ensure();
  write("10-old.conf", R"({"cniVersion":"0.3.1","name":"old","type":"ptp"})");
  EXPECT_EQ(ensure().state, State::kWritten);
  EXPECT_THAT(read("10-old-rocelane.conflist"), HasSubstr("ptp"));

  std::filesystem::remove(dir_ / "10-old.conf");
  EXPECT_EQ(ensure().state, State::kNoNetwork);
  EXPECT_THAT(files(), IsEmpty()) << "a network whose provider is gone must not stay";
}

TEST_F(PrimaryNetworkTest, derived_list_goes_when_another_network_comes_first) {
  write("10-old.conf", kSingle);
  ensure();
  write("05-new.conflist", kList);
  EXPECT_EQ(ensure().path, dir_ / "05-new.conflist");
  EXPECT_THAT(files(), ElementsAre("05-new.conflist", "10-old.conf"));
}

TEST_F(PrimaryNetworkTest, removal_leaves_the_directory_as_its_providers_made_it) {
  write("10-net.conflist", kList);
  ensure();
  write("05-old.conf", kSingle);
  ensure();
  const auto changed = remove_chained(dir_.path());
  ASSERT_OK(changed);
  EXPECT_THAT(*changed, ElementsAre(dir_ / "05-old-rocelane.conflist", dir_ / "10-net.conflist"));
  EXPECT_THAT(files(), ElementsAre("05-old.conf", "10-net.conflist"));
  EXPECT_THAT(read("10-net.conflist"), Not(HasSubstr("roce-cni")));
  EXPECT_EQ(read("05-old.conf"), kSingle);

  const auto again = remove_chained(dir_.path());
  ASSERT_OK(again);
  EXPECT_THAT(*again, IsEmpty());
}

}  // namespace
}  // namespace rocelane::agent
