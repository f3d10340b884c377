// SPDX-License-Identifier: Apache-2.0
#include <linux/netlink.h>

#include <cstring>

#include "lib/netlink/attribute.h"
#include "lib/netlink/socket.h"
#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

std::vector<std::uint8_t> payload(const Message& message) {
  auto all = message.bytes();
  all.erase(all.begin(), all.begin() + sizeof(nlmsghdr));
  return all;
}

TEST(Message, header_has_length_type_and_flags) {
  const Message message(16, NLM_F_CREATE);
  EXPECT_EQ(message.bytes(), bytes("10000000100000040000000000000000"));
}

TEST(Message, attributes_are_padded_and_in_order) {
  Message message(16, 0);
  message.put_u8(1, 0xaa);
  message.put_u16(2, 0x1234);
  message.put_be16(3, 0x1234);
  message.put_u32(4, 5);
  message.put_u64(5, 6);
  message.put_string(6, "rxe0");
  EXPECT_EQ(payload(message), bytes("05000100aa000000"
                                    "0600020034120000"
                                    "0600030012340000"
                                    "0800040005000000"
                                    "0c0005000600000000000000"
                                    "090006007278653000000000"));
}

TEST(Message, fixed_header_is_padded) {
  Message message(16, 0);
  message.append(bytes("0102030405"));
  message.put_u32(1, 7);
  EXPECT_EQ(payload(message), bytes("01020304050000000800010007000000"));
}

TEST(Message, nests_hold_what_was_put_inside) {
  Message message(16, 0);
  message.nest(18, [](Message& outer) {
    outer.put_string(1, "vrf");
    outer.nest(2, [](Message& inner) { inner.put_u32(1, 100); });
  });
  message.put_u8(3, 1);
  EXPECT_EQ(payload(message), bytes("18001200"
                                    "0800010076726600"
                                    "0c0002000800010064000000"
                                    "0500030001000000"));
}

TEST(Message, nest_is_flagged_on_request_and_may_be_empty) {
  Message message(16, 0);
  message.nest(
      52, [](Message&) {}, true);
  EXPECT_EQ(payload(message), bytes("04003480"));
}

TEST(Message, grows_while_a_nest_is_open) {
  Message message(16, 0);
  const std::vector<std::uint8_t> filler(1000, 0x5a);
  message.nest(1, [&](Message& inside) {
    for (int i = 0; i < 20; ++i) {
      inside.put(2, filler);
    }
  });
  ASSERT_FALSE(message.overflowed());
  int seen = 0;
  const auto all = payload(message);
  EXPECT_OK(for_each_attribute(all, [&](const Attribute& nest) {
    return for_each_attribute(nest.payload, [&](const Attribute& one) -> Result<void> {
      seen += std::equal(one.payload.begin(), one.payload.end(), filler.begin()) ? 1 : 0;
      return {};
    });
  }));
  EXPECT_EQ(seen, 20);
}

TEST(Message, says_when_it_is_too_large) {
  Message message(16, 0);
  const std::vector<std::uint8_t> filler(Message::kMaxMessageBytes / 2, 0);
  message.put(1, filler);
  EXPECT_FALSE(message.overflowed());
  message.put(1, filler);
  EXPECT_TRUE(message.overflowed());
  message.nest(1, [](Message& inside) { inside.put_u8(1, 1); });  // no crash afterwards
  EXPECT_LE(message.bytes().size(), Message::kMaxMessageBytes);
}

TEST(Message, moves_with_its_bytes) {
  Message first(16, 0);
  first.put_u8(1, 7);
  const auto before = first.bytes();
  Message second(17, 0);
  second = std::move(first);
  EXPECT_EQ(second.bytes(), before);
}

}  // namespace
}  // namespace rocelane::netlink
