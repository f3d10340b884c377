// SPDX-License-Identifier: Apache-2.0
#include "lib/netlink/address.h"

#include <linux/if_addr.h>
#include <linux/netlink.h>

#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

IpPrefix prefix(const char* text) { return IpPrefix::parse(text).value(); }

TEST(ParseAddress, v4) {
  auto address = parse_address(bytes(frames::kAddressV4));
  ASSERT_OK(address);
  EXPECT_EQ(
      *address,
      (Address{.index = IfIndex{3}, .prefix = prefix("10.56.0.5/24"), .flags = IFA_F_PERMANENT}));
}

TEST(ParseAddress, own_end_of_a_point_to_point_link) {
  auto address = parse_address(bytes(frames::kAddressPeer));
  ASSERT_OK(address);
  EXPECT_EQ(address->prefix, prefix("10.9.0.1/32"));
}

TEST(ParseAddress, v6_with_flags_of_32_bits) {
  auto address = parse_address(bytes(frames::kAddressV6));
  ASSERT_OK(address);
  EXPECT_EQ(*address, (Address{.index = IfIndex{3},
                               .prefix = prefix("fd00:56::5/64"),
                               .flags = IFA_F_PERMANENT | IFA_F_NODAD}));
  auto wide =
      parse_address(bytes("0a400000 03000000"
                          "14000100 fd000056000000000000000000000005"
                          "08000800 00020000"));
  ASSERT_OK(wide);
  EXPECT_EQ(wide->flags, IFA_F_NOPREFIXROUTE);
}

TEST(ParseAddress, what_does_not_fit_together_is_refused) {
  for (const char* hex :
       {"0218000003000000",                                            // no address
        "0218000003000000 14000200 fd000056000000000000000000000005",  // v6 in v4
        "0a40000003000000 08000100 0a380005",                          // v4 in v6
        "0221000003000000 08000200 0a380005",                          // /33
        "0a81000003000000 14000100 fd000056000000000000000000000005",  // /129
        "0218000003000000 07000200 0a380000",                          // three bytes
        "0a40000003000000 14000100 fd000056000000000000000000000005 06000800 0200"}) {
    EXPECT_ERROR(parse_address(bytes(hex)), Code::kInvalidInput) << hex;
  }
}

// ip addr add 10.1.1.5/24 dev lo; ip addr add fd00::5/64 dev lo nodad (iproute2 6.1)
TEST(EncodeAddAddress, as_ip_does) {
  EXPECT_EQ(encode_add_address({.index = IfIndex{1}, .prefix = prefix("10.1.1.5/24")}).bytes(),
            bytes("28000000 1400 0006 00000000 00000000 02180000 01000000"
                  "08000200 0a010105 08000100 0a010105"));
  EXPECT_EQ(encode_add_address(
                {.index = IfIndex{1}, .prefix = prefix("fd00::5/64"), .flags = IFA_F_NODAD})
                .bytes(),
            bytes("40000000 1400 0006 00000000 00000000 0a400200 01000000"
                  "14000200 fd000000000000000000000000000005"
                  "14000100 fd000000000000000000000000000005"));
}

TEST(EncodeAddAddress, flags_beyond_eight_bits_have_their_attribute) {
  const auto sent =
      encode_add_address(
          {.index = IfIndex{1}, .prefix = prefix("10.1.1.5/24"), .flags = IFA_F_NOPREFIXROUTE})
          .bytes();
  EXPECT_EQ(std::vector<std::uint8_t>(sent.end() - 8, sent.end()), bytes("08000800 00020000"));
}

TEST(EncodeAddAddress, the_kernels_own_flags_stay_home) {
  const Address read_back{.index = IfIndex{1},
                          .prefix = prefix("fd00::5/64"),
                          .flags = IFA_F_NODAD | IFA_F_PERMANENT | IFA_F_TENTATIVE};
  EXPECT_EQ(encode_add_address(read_back).bytes()[18], IFA_F_NODAD);
}

}  // namespace
}  // namespace rocelane::netlink
