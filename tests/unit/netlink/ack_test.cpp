// SPDX-License-Identifier: Apache-2.0
// Acks as kernels send them. The signs matter: the kernel's error numbers are negative.
#include "lib/netlink/ack.h"

#include <linux/netlink.h>

#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

constexpr std::uint16_t kCapped = NLM_F_CAPPED;
constexpr std::uint16_t kCappedWithText = NLM_F_CAPPED | NLM_F_ACK_TLVS;

// RTM_SETLINK with an MTU of 10 to a veth, capped ack: -EINVAL, "mtu less than device minimum".
constexpr const char* kMtuRefused =
    "eaffffff 28000000130005000100000000000000"
    "21000100 6d7475206c657373207468616e20646576696365206d696e696d756d00";

TEST(ParseErrorMessage, zero_is_success) {
  EXPECT_OK(parse_error_message(bytes("00000000280000001300050001000000000000 00"), kCapped));
}

TEST(ParseErrorMessage, negative_number_is_the_errno_with_the_kernels_sentence) {
  auto outcome = parse_error_message(bytes(kMtuRefused), kCappedWithText);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().sys_errno, EINVAL);
  EXPECT_EQ(outcome.error().message, "mtu less than device minimum: Invalid argument");
}

TEST(ParseErrorMessage, without_a_sentence_the_errno_speaks) {
  auto outcome =
      parse_error_message(bytes("a1ffffff28000000130005000100000000000000"), kCapped);  // -95
  EXPECT_ERROR(outcome, Code::kUnsupported);
  EXPECT_EQ(outcome.error().message, "Operation not supported");
}

TEST(ParseErrorMessage, attributes_follow_the_request_when_it_is_not_capped) {
  // The same answer with the request's 24 bytes of payload in between.
  std::vector<std::uint8_t> message = bytes(kMtuRefused);
  message.insert(message.begin() + 20, 24, 0xee);
  auto outcome = parse_error_message(message, NLM_F_ACK_TLVS);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().message, "mtu less than device minimum: Invalid argument");
}

TEST(ParseErrorMessage, broken_attributes_do_not_hide_the_errno) {
  std::vector<std::uint8_t> message = bytes(kMtuRefused);
  message.erase(message.end() - 3, message.end());
  auto outcome = parse_error_message(message, kCappedWithText);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().sys_errno, EINVAL);
}

TEST(ParseErrorMessage, positive_number_breaks_the_protocol) {
  auto outcome = parse_error_message(bytes("1600000028000000130005000100000000000000"), kCapped);
  EXPECT_ERROR(outcome, Code::kIo);
  EXPECT_EQ(outcome.error().sys_errno, 0);
}

TEST(ParseErrorMessage, number_beyond_all_errnos_breaks_the_protocol) {
  EXPECT_ERROR(parse_error_message(bytes("0000008028000000130005000100000000000000"), kCapped),
               Code::kIo);
}

TEST(ParseErrorMessage, message_cut_short_breaks_the_protocol) {
  const auto whole = bytes(kMtuRefused);
  for (std::size_t length = 0; length < sizeof(nlmsgerr); ++length) {
    EXPECT_ERROR(parse_error_message(Bytes(whole).first(length), kCappedWithText), Code::kIo);
  }
}

TEST(ParseDoneMessage, empty_and_zero_are_success) {
  EXPECT_OK(parse_done_message({}, 0));
  EXPECT_OK(parse_done_message(bytes("00000000"), 0));
}

TEST(ParseDoneMessage, negative_number_fails_the_dump) {
  auto outcome = parse_done_message(bytes("edffffff"), 0);
  EXPECT_ERROR(outcome, Code::kNotFound);
  EXPECT_EQ(outcome.error().sys_errno, ENODEV);
}

TEST(ParseDoneMessage, cut_short_breaks_the_protocol) {
  EXPECT_ERROR(parse_done_message(bytes("edff"), 0), Code::kIo);
}

}  // namespace
}  // namespace rocelane::netlink
