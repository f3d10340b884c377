// SPDX-License-Identifier: Apache-2.0
// Every prefix and every changed byte of the captured messages through every parser: an answer or
// kInvalidInput, never a read beyond the end (run under AddressSanitizer to see that), and never a
// cut attribute taken for a whole one.
#include <functional>
#include <ostream>

#include "lib/netlink/address.h"
#include "lib/netlink/attribute.h"
#include "lib/netlink/link.h"
#include "lib/netlink/rdma.h"
#include "lib/netlink/route.h"
#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

// What a parser made of the bytes: success or the error's code.
using Parser = std::function<Result<void>(Bytes)>;

template <typename T>
Parser parser(Result<T> (*parse)(Bytes)) {
  return [parse](Bytes input) {
    auto value = parse(input);
    return value.ok() ? Result<void>() : value.error();
  };
}

struct Frame {
  const char* name;
  std::string_view hex;
  std::size_t header;  // bytes before the first attribute
  Parser parse;
};

// NOLINTNEXTLINE(readability-identifier-naming): gtest looks for this name
void PrintTo(const Frame& frame, std::ostream* out) { *out << frame.name; }

std::vector<Frame> all_frames() {
  const Parser link = parser(parse_link);
  const Parser address = parser(parse_address);
  const Parser route = parser(parse_route);
  const Parser rule = parser(parse_rule);
  return {{"veth", frames::kVethLink, 16, link},
          {"bridge_port", frames::kBridgePortLink, 16, link},
          {"pf", frames::kPfLink, 16, link},
          {"address_v4", frames::kAddressV4, 8, address},
          {"address_peer", frames::kAddressPeer, 8, address},
          {"address_v6", frames::kAddressV6, 8, address},
          {"route_full", frames::kRouteFull, 12, route},
          {"route_via", frames::kRouteVia, 12, route},
          {"route_v6_default", frames::kRouteV6Default, 12, route},
          {"rule_v4", frames::kRuleV4, 12, rule},
          {"rule_v6", frames::kRuleV6, 12, rule},
          {"rdma_device", frames::kRdmaDevice, 0, parser(parse_rdma_device)},
          {"rdma_port", frames::kRdmaPort, 0, parser(parse_rdma_port)},
          {"char_device", frames::kRdmaCharDevice, 0, parser(parse_char_device)},
          {"rdma_system", frames::kRdmaSystem, 0, parser(parse_rdma_netns_mode)}};
}

// An exact heap copy, so that AddressSanitizer sees one byte too many.
Result<void> parse_exactly(const Frame& frame, Bytes input) {
  const std::vector<std::uint8_t> copy(input.begin(), input.end());
  return frame.parse(copy);
}

class Malformed : public testing::TestWithParam<Frame> {};

TEST_P(Malformed, whole_message_is_accepted) {
  EXPECT_OK(parse_exactly(GetParam(), frames::bytes(GetParam().hex)));
}

TEST_P(Malformed, prefixes_are_refused_unless_they_end_between_attributes) {
  const auto whole = frames::bytes(GetParam().hex);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Bytes prefix = Bytes(whole).first(length);
    auto outcome = parse_exactly(GetParam(), prefix);
    if (!outcome.ok()) {
      EXPECT_EQ(outcome.error().code, Code::kInvalidInput);
      continue;
    }
    ASSERT_GE(length, GetParam().header);
    EXPECT_OK(for_each_attribute(prefix.subspan(GetParam().header), [](const Attribute&) {
      return Result<void>();
    })) << length;
  }
}

TEST_P(Malformed, changed_bytes_give_an_answer_or_invalid_input) {
  const auto whole = frames::bytes(GetParam().hex);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int flip : {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff}) {
      auto changed = whole;
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ flip);
      auto outcome = parse_exactly(GetParam(), changed);
      if (!outcome.ok()) {
        ASSERT_EQ(outcome.error().code, Code::kInvalidInput) << at;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Frames, Malformed, testing::ValuesIn(all_frames()),
                         [](const auto& test) { return std::string(test.param.name); });

// One attribute of each kind parse_link() reads, one byte shorter than it has to be.
class ShortLinkAttribute : public testing::TestWithParam<const char*> {};

TEST_P(ShortLinkAttribute, is_refused) {
  const std::string header = "00000100020000000000000000000000";
  auto link = parse_link(frames::bytes(header + GetParam()));
  EXPECT_ERROR(link, Code::kInvalidInput);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ShortLinkAttribute,
    testing::Values("07000300 657468 00",           // IFLA_IFNAME without its zero
                    "04000300",                     // empty
                    "09000100 0200000000 000000",   // IFLA_ADDRESS, 5 bytes on Ethernet
                    "09003600 0200000000 000000",   // IFLA_PERM_ADDRESS
                    "07000400 dc0500 00",           // IFLA_MTU
                    "07003300 ffff00 00",           // IFLA_MAX_MTU
                    "04002100",                     // IFLA_CARRIER
                    "07000a00 040000 00",           // IFLA_MASTER
                    "07000500 040000 00",           // IFLA_LINK
                    "0c001200 07000100 766574 00",  // IFLA_INFO_KIND without its zero
                    "0b003480 07003500 657468",     // IFLA_ALT_IFNAME without its zero
                    "07003800 303030 00",           // IFLA_PARENT_DEV_NAME
                    "07003900 706369 00",           // IFLA_PARENT_DEV_BUS_NAME
                    "14001600 10000100 0b000100 00000000 000000 00",       // IFLA_VF_MAC
                    "17001600 13000100 0f000200 0000000064000000 000000",  // IFLA_VF_VLAN
                    "17001600 13000100 0f000600 0000000064000000 000000",  // IFLA_VF_RATE
                    "13001600 0f000100 0b000300 00000000 640000",          // IFLA_VF_TX_RATE
                    "13001600 0f000100 0b000400 00000000 010000",          // IFLA_VF_SPOOFCHK
                    "13001600 0f000100 0b000900 00000000 010000",          // IFLA_VF_TRUST
                    "13001600 0f000100 0b000500 00000000 010000",          // IFLA_VF_LINK_STATE
                    "1f001600 1b000100 17000c00 13000100 000000006400000003000000 810000"));

}  // namespace
}  // namespace rocelane::netlink
