// SPDX-License-Identifier: Apache-2.0
#include "lib/netlink/address.h"

#include <linux/if_addr.h>

#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

IpPrefix prefix(const char* text) { return IpPrefix::parse(text).value(); }

class AddressTest : public test::NetNsTest {
 protected:
  void SetUp() override {
    NetNsTest::SetUp();
    if (!IsSkipped()) {
      ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
      index_ = link("rl0").index;
    }
  }

  std::vector<Address> all(IfIndex index) {
    auto addresses = dump_addresses(socket(), index);
    EXPECT_OK(addresses);
    return addresses.ok() ? *addresses : std::vector<Address>();
  }

  Address v4(const char* text) const { return {.index = index_, .prefix = prefix(text)}; }

  IfIndex index_;
};

TEST_F(AddressTest, v4_is_read_back) {
  ASSERT_OK(add_address(socket(), v4("10.56.0.5/24")));
  EXPECT_THAT(all(index_),
              ElementsAre(Address{
                  .index = index_, .prefix = prefix("10.56.0.5/24"), .flags = IFA_F_PERMANENT}));
}

TEST_F(AddressTest, v6_without_duplicate_detection_is_usable_at_once) {
  const Address wanted{.index = index_, .prefix = prefix("fd00:56::5/64"), .flags = IFA_F_NODAD};
  auto added = add_address(socket(), wanted);
  ROCELANE_SKIP_IF_UNSUPPORTED(added, "IPv6");
  ASSERT_OK(added);
  ASSERT_OK(set_link(socket(), index_, {.up = true}));
  EXPECT_THAT(all(index_), Contains(Address{.index = index_,
                                            .prefix = prefix("fd00:56::5/64"),
                                            .flags = IFA_F_PERMANENT | IFA_F_NODAD}));
}

TEST_F(AddressTest, slash_31_and_slash_32_keep_their_length) {
  ASSERT_OK(add_address(socket(), v4("10.0.0.0/31")));
  ASSERT_OK(add_address(socket(), v4("10.0.1.1/32")));
  const auto addresses = all(index_);
  ASSERT_EQ(addresses.size(), 2U);
  EXPECT_EQ(addresses[0].prefix, prefix("10.0.0.0/31"));
  EXPECT_EQ(addresses[1].prefix, prefix("10.0.1.1/32"));
}

TEST_F(AddressTest, flags_beyond_eight_bits_arrive) {
  Address quiet = v4("10.56.0.5/24");
  quiet.flags = IFA_F_NOPREFIXROUTE;
  ASSERT_OK(add_address(socket(), quiet));
  const auto addresses = all(index_);
  ASSERT_EQ(addresses.size(), 1U);
  EXPECT_NE(addresses[0].flags & IFA_F_NOPREFIXROUTE, 0U);
}

TEST_F(AddressTest, adding_it_again_is_already_exists) {
  ASSERT_OK(add_address(socket(), v4("10.56.0.5/24")));
  EXPECT_ERROR(add_address(socket(), v4("10.56.0.5/24")), Code::kAlreadyExists);
}

TEST_F(AddressTest, removed_once_and_again) {
  ASSERT_OK(add_address(socket(), v4("10.56.0.5/24")));
  ASSERT_OK(remove_address(socket(), v4("10.56.0.5/24")));
  EXPECT_THAT(all(index_), IsEmpty());
  EXPECT_OK(remove_address(socket(), v4("10.56.0.5/24")));
}

TEST_F(AddressTest, removing_from_a_link_that_is_gone_is_success) {
  EXPECT_OK(remove_address(socket(), {.index = IfIndex{4711}, .prefix = prefix("10.0.0.1/24")}));
  EXPECT_OK(remove_address(socket(), {.index = IfIndex{4711}, .prefix = prefix("fd00::1/64")}));
}

TEST_F(AddressTest, adding_to_a_link_that_is_gone_is_not_found) {
  EXPECT_ERROR(add_address(socket(), {.index = IfIndex{4711}, .prefix = prefix("10.0.0.1/24")}),
               Code::kNotFound);
}

TEST_F(AddressTest, dump_is_of_one_interface_or_of_all) {
  ASSERT_OK(add_address(socket(), v4("10.56.0.5/24")));
  const Address local{
      .index = IfIndex{1}, .prefix = prefix("127.0.0.1/8"), .scope = 254, .flags = IFA_F_PERMANENT};
  EXPECT_THAT(all(index_), Not(Contains(local)));
  EXPECT_THAT(all(IfIndex{}), Contains(local));
  EXPECT_ERROR(dump_addresses(socket(), IfIndex{4711}), Code::kNotFound);
}

}  // namespace
}  // namespace rocelane::netlink
