// SPDX-License-Identifier: Apache-2.0
// sysfs shows the network devices of the netns it was mounted in, wherever it is read from.
#include "lib/sysfs/sysfs.h"
#include "tests/support/test_netns.h"

namespace rocelane::sysfs {
namespace {

using testing::ElementsAre;

class DetachedSysfs : public test::NetNsTest {};

TEST_F(DetachedSysfs, shows_the_devices_of_its_own_netns) {
  ASSERT_OK(netlink::add_link(socket(), netlink::VethSpec{.name = "rl0", .peer = "rl1"}));
  auto inside = run([] { return Sysfs::open_detached(); });
  if (!inside.ok() &&
      (inside.error().code == Code::kPermission || inside.error().code == Code::kUnsupported)) {
    GTEST_SKIP() << "no detached sysfs here: " << inside.error().message;
  }
  ASSERT_OK(inside);
  auto names = inside->list("class/net");
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("lo", "rl0", "rl1"));
  auto mtu = inside->read_number("class/net/rl0/mtu");
  ASSERT_OK(mtu);
  EXPECT_EQ(*mtu, 1500);
  ASSERT_OK(netlink::set_link(socket(), link("rl1").index, {.name = "later"}));
  EXPECT_TRUE(inside->exists("class/net/later"));
}

TEST_F(DetachedSysfs, leaves_the_ordinary_one_alone) {
  ASSERT_OK(netlink::add_link(socket(), netlink::VethSpec{.name = "rl-hidden", .peer = "rl1"}));
  auto host = Sysfs::open("/sys");
  ASSERT_OK(host);
  EXPECT_FALSE(host->exists("class/net/rl-hidden"));
}

}  // namespace
}  // namespace rocelane::sysfs
