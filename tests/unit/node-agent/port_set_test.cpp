// SPDX-License-Identifier: Apache-2.0
#include "node-agent/port_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"
#include "tests/unit/node-agent/fake_nic.h"

namespace rocelane::agent {
namespace {

using std::chrono::milliseconds;
using test::FakeNic;
using testing::Contains;
using testing::Not;
using testing::StartsWith;

class PortSetTest : public testing::Test {
 protected:
  static config::Port port(std::vector<std::string> names, std::uint32_t vfs) {
    config::Port wanted;
    wanted.pf_names = std::move(names);
    wanted.num_vfs = vfs;
    return wanted;
  }
  std::optional<milliseconds> settle() {
    const auto kernel = nic_.kernel();
    const auto sysfs = nic_.tree.open();
    const auto store = state::Store::open(dir_.path());
    ROCELANE_CHECK(store.ok());
    std::optional<milliseconds> next(0);
    for (int pass = 0; pass < 50 && next == milliseconds(0); ++pass) {
      next = ports_.ensure({.sysfs = sysfs, .kernel = kernel, .store = *store, .boot_id = "b1"});
    }
    return next;
  }

  rocelane::test::TempDir dir_;
  FakeNic nic_;
  PortSet ports_;
};

TEST_F(PortSetTest, missing_port_does_not_hold_up_the_other) {
  ports_.configure({port({"absent0", FakeNic::kName}, 2)});
  EXPECT_EQ(settle(), std::nullopt);
  EXPECT_EQ(nic_.pf.vfs.size(), 2U);
}

TEST_F(PortSetTest, waiting_port_is_looked_at_again_soon) {
  nic_.pf.carrier = false;
  ports_.configure({port({FakeNic::kName}, 2)});
  EXPECT_EQ(settle(), PortSet::kPoll);
}

TEST_F(PortSetTest, new_configuration_is_applied_and_a_port_left_out_is_left_alone) {
  ports_.configure({port({FakeNic::kName}, 2)});
  settle();
  ports_.configure({port({FakeNic::kName}, 3)});
  settle();
  EXPECT_EQ(nic_.pf.vfs.size(), 3U);
  nic_.log.clear();
  ports_.configure({});
  EXPECT_EQ(settle(), std::nullopt);
  EXPECT_THAT(nic_.log, Not(Contains(StartsWith("numvfs"))));
  EXPECT_EQ(nic_.pf.vfs.size(), 3U);
}

}  // namespace
}  // namespace rocelane::agent
