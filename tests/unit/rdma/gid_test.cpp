// SPDX-License-Identifier: Apache-2.0
#include "lib/rdma/gid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_sysfs.h"
#include "tests/support/result_matchers.h"

namespace rocelane::rdma {
namespace {

constexpr const char* kMapped = "0000:0000:0000:0000:0000:ffff:0a38:0005";  // 10.56.0.5
constexpr const char* kLinkLocal = "fe80:0000:0000:0000:5054:00ff:fe12:3456";

IpAddress ip(const char* text) {
  auto parsed = IpAddress::parse(text);
  ROCELANE_CHECK(parsed.ok());
  return *parsed;
}

class GidTest : public testing::Test {
 protected:
  GidTest() { tree_.add_rdma_device("rxe0", "", "roce0", 12); }

  std::vector<Gid> read() {
    auto gids = read_gids(tree_.open(), "rxe0", 1);
    EXPECT_OK(gids);
    return gids.ok() ? *gids : std::vector<Gid>();
  }

  test::FakeSysfs tree_;
};

TEST_F(GidTest, empty_entries_are_left_out_and_the_order_is_by_number) {
  tree_.add_gid("rxe0", 1, 10, {kMapped, "RoCE v2", "roce0"});
  tree_.add_gid("rxe0", 1, 9, {kLinkLocal, "IB/RoCE v1", "roce0"});
  const auto gids = read();
  ASSERT_EQ(gids.size(), 2U);
  EXPECT_EQ(gids[0].index, 9U);
  EXPECT_EQ(gids[0].type, GidType::kRoceV1);
  EXPECT_EQ(gids[1].index, 10U);
  EXPECT_EQ(gids[1].type, GidType::kRoceV2);
  EXPECT_EQ(gids[1].netdev, "roce0");
  EXPECT_EQ(gids[1].bytes, ip("10.56.0.5").to_gid());
}

TEST_F(GidTest, entry_without_a_netdev_is_infiniband) {
  tree_.add_gid("rxe0", 1, 0, {kLinkLocal, "IB/RoCE v1", ""});
  const auto gids = read();
  ASSERT_EQ(gids.size(), 1U);
  EXPECT_EQ(gids[0].type, GidType::kIb);
}

TEST_F(GidTest, text_form_is_the_one_of_the_kernel) {
  tree_.add_gid("rxe0", 1, 1, {kMapped, "RoCE v2", "roce0"});
  EXPECT_EQ(read().at(0).to_string(), kMapped);
}

TEST_F(GidTest, damaged_entry_is_an_error_that_names_the_file) {
  tree_.write("class/infiniband/rxe0/ports/1/gids/3", "fe80::1");
  const auto gids = read_gids(tree_.open(), "rxe0", 1);
  ASSERT_TRUE(test::has_error(gids, Code::kInvalidInput));
  EXPECT_THAT(gids.error().message, testing::HasSubstr("rxe0/ports/1/gids/3"));
}

TEST_F(GidTest, absent_device_or_port_is_not_found) {
  EXPECT_ERROR(read_gids(tree_.open(), "rxe7", 1), Code::kNotFound);
  EXPECT_ERROR(read_gids(tree_.open(), "rxe0", 2), Code::kNotFound);
}

TEST_F(GidTest, selection_goes_by_type_address_and_netdev_never_by_number) {
  tree_.add_gid("rxe0", 1, 3, {kMapped, "IB/RoCE v1", "roce0"});
  tree_.add_gid("rxe0", 1, 4, {kMapped, "RoCE v2", "roce0.200"});
  tree_.add_gid("rxe0", 1, 7, {kMapped, "RoCE v2", "roce0"});
  const auto chosen = select_gid(read(), ip("10.56.0.5"), "roce0");
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ(chosen->index, 7U);
  EXPECT_EQ(select_gid(read(), ip("10.56.0.6"), "roce0"), std::nullopt);
  EXPECT_EQ(select_gid(read(), ip("10.56.0.5"), "roce1"), std::nullopt);
}

}  // namespace
}  // namespace rocelane::rdma
