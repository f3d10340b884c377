// SPDX-License-Identifier: Apache-2.0
// VF settings of a real PF. They are the host's: only the PF named by ROCELANE_TEST_PF is touched,
// its last VF only, and every setting is put back. The lab's nodes set the variable.
#include <algorithm>
#include <cstdlib>

#include "lib/base/scope_guard.h"
#include "lib/netlink/link.h"
#include "tests/support/result_matchers.h"

namespace rocelane::netlink {
namespace {

using testing::HasSubstr;

constexpr const char* kPfVariable = "ROCELANE_TEST_PF";

class VfTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* name = std::getenv(kPfVariable);  // NOLINT(concurrency-mt-unsafe): one thread
    if (name == nullptr) {
      GTEST_SKIP() << kPfVariable << " names no PF whose last VF may be changed";
    }
    auto opened = Socket::open(Family::kRoute);
    ASSERT_OK(opened);
    socket_.emplace(std::move(*opened));
    auto pf = find_link(*socket_, name, true);
    ASSERT_OK(pf);
    if (!*pf) {
      GTEST_SKIP() << kPfVariable << "=" << name << " is not a link of this netns";
    }
    ASSERT_FALSE((*pf)->vfs.empty()) << name << " has no VFs";
    pf_ = (*pf)->index;
    before_ = (*pf)->vfs.back();
  }

  void TearDown() override {
    if (!socket_ || !pf_.valid()) {
      return;
    }
    EXPECT_OK(set_vf(
        *socket_, pf_,
        {.vf = before_.vf,
         .mac = before_.mac,
         .vlan =
             VfChange::Vlan{.vlan = before_.vlan, .qos = before_.qos, .proto = before_.vlan_proto},
         .spoofchk = before_.spoofchk,
         .trust = before_.trust}));
    EXPECT_EQ(vf(), before_);
  }

  VfInfo vf() {
    auto pf = find_link(*socket_, pf_, true);
    EXPECT_OK(pf);
    const auto& vfs = (*pf)->vfs;
    const auto found = std::find_if(vfs.begin(), vfs.end(),
                                    [this](const VfInfo& one) { return one.vf == before_.vf; });
    return found == vfs.end() ? VfInfo{} : *found;
  }

  Result<void> change(VfChange wanted) {
    wanted.vf = before_.vf;
    return set_vf(*socket_, pf_, wanted);
  }

  std::optional<Socket> socket_;
  IfIndex pf_;
  VfInfo before_;
};

TEST_F(VfTest, settings_are_read_back) {
  const MacAddress mac = MacAddress::parse("02:00:5e:10:00:77").value();
  ASSERT_OK(change({.mac = mac,
                    .vlan = VfChange::Vlan{.vlan = 77, .qos = 5},
                    .spoofchk = !before_.spoofchk.value_or(true),
                    .trust = !before_.trust.value_or(false)}));
  const VfInfo now = vf();
  EXPECT_EQ(now.mac, mac);
  EXPECT_EQ(now.vlan, 77);
  EXPECT_EQ(now.qos, 5);
  EXPECT_EQ(now.vlan_proto, 0x8100);
  EXPECT_EQ(now.spoofchk, !before_.spoofchk.value_or(true));
  EXPECT_EQ(now.trust, !before_.trust.value_or(false));
}

TEST_F(VfTest, vlan_goes_back_to_none) {
  ASSERT_OK(change({.vlan = VfChange::Vlan{.vlan = 77, .qos = 5}}));
  ASSERT_OK(change({.vlan = VfChange::Vlan{}}));
  EXPECT_EQ(vf().vlan, 0);
  EXPECT_EQ(vf().qos, 0);
}

TEST_F(VfTest, a_setting_the_driver_refuses_is_named) {
  auto refused = change({.vlan = VfChange::Vlan{.vlan = 77, .proto = 0x88a8}});
  if (refused.ok()) {
    GTEST_SKIP() << "this driver takes 802.1ad VLANs";
  }
  EXPECT_THAT(refused.error().message, HasSubstr(" vf " + std::to_string(before_.vf) + " vlan: "));
}

TEST_F(VfTest, a_vf_that_does_not_exist_is_refused) {
  constexpr std::uint32_t kNoSuchVf = 4711;
  EXPECT_FALSE(set_vf(*socket_, pf_, {.vf = kNoSuchVf, .vlan = VfChange::Vlan{.vlan = 1}}).ok());
}

TEST_F(VfTest, vfs_are_listed_only_when_asked_for) {
  auto plain = find_link(*socket_, pf_);
  ASSERT_OK(plain);
  ASSERT_TRUE(plain->has_value());
  EXPECT_TRUE((*plain)->vfs.empty());
  EXPECT_EQ((*plain)->parent_bus, "pci");
}

}  // namespace
}  // namespace rocelane::netlink
