// SPDX-License-Identifier: Apache-2.0
#include "lib/netlink/attribute.h"

#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;
using testing::ElementsAre;

// The attributes of `hex`, or the error of reading them.
Result<std::vector<Attribute>> collect(const std::vector<std::uint8_t>& input) {
  std::vector<Attribute> all;
  auto done = for_each_attribute(input, [&](const Attribute& attribute) -> Result<void> {
    all.push_back(attribute);
    return {};
  });
  return done.ok() ? Result<std::vector<Attribute>>(all) : done.error();
}

TEST(ForEachAttribute, skips_padding_and_masks_flags) {
  const auto input = bytes(
      "05000180aa000000"
      "080002400a000001");
  auto all = collect(input);
  ASSERT_OK(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0].type, 1);
  EXPECT_THAT((*all)[0].payload, ElementsAre(0xaa));
  EXPECT_EQ((*all)[1].type, 2);
}

TEST(ForEachAttribute, last_attribute_may_lack_its_padding) {
  EXPECT_OK(collect(bytes("05000100aa")));
}

TEST(ForEachAttribute, nothing_is_no_attribute) { EXPECT_OK(collect({})); }

TEST(ForEachAttribute, lengths_that_lie_are_refused) {
  for (const char* hex : {"0300010000000000", "0000010000000000", "0900010000000000", "080001",
                          "08000100aabbcc", "ffff0100"}) {
    EXPECT_ERROR(collect(bytes(hex)), Code::kInvalidInput) << hex;
  }
}

TEST(ForEachAttribute, stops_at_the_visitors_error) {
  int calls = 0;
  const auto input = bytes("0400010004000200");
  auto done = for_each_attribute(input, [&](const Attribute&) -> Result<void> {
    ++calls;
    return Error::make(Code::kBusy, "enough");
  });
  EXPECT_ERROR(done, Code::kBusy);
  EXPECT_EQ(calls, 1);
}

TEST(Attribute, integers_have_exactly_their_size) {
  const auto input = bytes(
      "0102030405060708"
      "09");
  const auto of = [&](std::size_t length) {
    return Attribute{.type = 7, .payload = Bytes(input).first(length)};
  };
  EXPECT_EQ(*of(1).u8(), 0x01);
  EXPECT_EQ(*of(4).u32(), 0x04030201U);
  EXPECT_EQ(*of(8).u64(), 0x0807060504030201U);
  for (std::size_t length : {0U, 2U, 3U, 5U, 7U, 9U}) {
    EXPECT_ERROR(of(length).u8(), Code::kInvalidInput);
    EXPECT_ERROR(of(length).u32(), Code::kInvalidInput);
    EXPECT_ERROR(of(length).u64(), Code::kInvalidInput);
  }
}

TEST(Attribute, the_message_names_type_and_both_lengths) {
  const auto input = bytes("0102");
  const Attribute attribute{.type = 4, .payload = input};
  EXPECT_EQ(attribute.u32().error().message, "attribute 4: 2 bytes instead of 4");
}

TEST(Attribute, text_ends_at_its_zero) {
  const auto input = bytes("657468300041");
  EXPECT_EQ(*(Attribute{.type = 3, .payload = input}.text()), "eth0");
  EXPECT_ERROR((Attribute{.type = 3, .payload = Bytes(input).first(4)}.text()),
               Code::kInvalidInput);
  EXPECT_ERROR((Attribute{.type = 3, .payload = {}}.text()), Code::kInvalidInput);
}

TEST(Attribute, struct_may_be_longer_than_known) {
  struct Pair {
    std::uint32_t first;
    std::uint32_t second;
  };
  const auto input = bytes(
      "0100000002000000"
      "03000000");
  EXPECT_EQ((Attribute{.type = 3, .payload = input}.as<Pair>())->second, 2U);
  EXPECT_ERROR((Attribute{.type = 3, .payload = Bytes(input).first(7)}.as<Pair>()),
               Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::netlink
