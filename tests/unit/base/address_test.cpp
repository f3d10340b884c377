// SPDX-License-Identifier: Apache-2.0
#include <sys/socket.h>

#include "lib/base/ip_address.h"
#include "lib/base/mac_address.h"
#include "lib/base/pci_address.h"
#include "tests/support/result_matchers.h"

namespace rocelane {
namespace {

template <typename T>
std::string normal(std::string_view text) {
  const auto value = T::parse(text);
  EXPECT_OK(value) << text;
  return value.ok() ? value->to_string() : std::string();
}

TEST(IpAddress, parses_both_families) {
  EXPECT_EQ(normal<IpAddress>("10.56.0.5"), "10.56.0.5");
  EXPECT_EQ(normal<IpAddress>("FD00:0::5"), "fd00::5");
  EXPECT_EQ(normal<IpAddress>("::ffff:10.0.0.1"), "::ffff:10.0.0.1");
  EXPECT_EQ(IpAddress::parse("10.0.0.1")->family(), AF_INET);
  EXPECT_EQ(IpAddress::parse("::1")->family(), AF_INET6);
}

TEST(IpAddress, refuses_everything_else) {
  using namespace std::string_view_literals;
  for (const auto text : {""sv, "10.0.0"sv, "10.0.0.256"sv, "10.0.0.1/24"sv, " 10.0.0.1"sv,
                          "10.0.0.1 "sv, "10.0.0.1\0"sv, "::1%eth0"sv, "1::2::3"sv, "a"sv}) {
    EXPECT_ERROR(IpAddress::parse(text), Code::kInvalidInput) << text;
  }
}

TEST(IpAddress, has_the_gid_of_its_family) {
  const auto v4 = IpAddress::parse("10.56.0.5")->to_gid();
  EXPECT_EQ(IpAddress::from_bytes(v4)->to_string(), "::ffff:10.56.0.5");
  const auto v6 = IpAddress::parse("fd00::5")->to_gid();
  EXPECT_EQ(IpAddress::from_bytes(v6)->to_string(), "fd00::5");
}

TEST(IpAddress, takes_four_or_sixteen_bytes) {
  const std::array<std::uint8_t, 17> bytes{10, 1, 2, 3};
  EXPECT_EQ(IpAddress::from_bytes({bytes.data(), 4})->to_string(), "10.1.2.3");
  EXPECT_EQ(IpAddress::from_bytes({bytes.data(), 4})->raw().size(), 4U);
  EXPECT_OK(IpAddress::from_bytes({bytes.data(), 16}));
  for (const std::size_t size : {0, 3, 5, 15, 17}) {
    EXPECT_ERROR(IpAddress::from_bytes({bytes.data(), size}), Code::kInvalidInput);
  }
}

TEST(IpAddress, knows_link_local) {
  EXPECT_TRUE(IpAddress::parse("fe80::1")->is_link_local());
  EXPECT_TRUE(IpAddress::parse("febf::1")->is_link_local());
  EXPECT_FALSE(IpAddress::parse("fec0::1")->is_link_local());
  EXPECT_TRUE(IpAddress::parse("169.254.1.1")->is_link_local());
  EXPECT_FALSE(IpAddress::parse("169.253.1.1")->is_link_local());
}

TEST(IpPrefix, keeps_host_bits_and_can_clear_them) {
  EXPECT_EQ(normal<IpPrefix>("10.56.3.5/23"), "10.56.3.5/23");
  EXPECT_EQ(IpPrefix::parse("10.56.3.5/23")->network().to_string(), "10.56.2.0/23");
  EXPECT_EQ(IpPrefix::parse("10.56.3.5/0")->network().to_string(), "0.0.0.0/0");
  EXPECT_EQ(IpPrefix::parse("10.56.3.5/32")->network().to_string(), "10.56.3.5/32");
  EXPECT_EQ(IpPrefix::parse("fd00::ffff/121")->network().to_string(), "fd00::ff80/121");
}

TEST(IpPrefix, contains_addresses_of_its_family_only) {
  const auto subnet = *IpPrefix::parse("10.56.2.9/23");
  EXPECT_TRUE(subnet.contains(*IpAddress::parse("10.56.3.255")));
  EXPECT_FALSE(subnet.contains(*IpAddress::parse("10.56.4.0")));
  EXPECT_FALSE(subnet.contains(*IpAddress::parse("::a38:2ff")));
  EXPECT_TRUE(IpPrefix::parse("::/0")->contains(*IpAddress::parse("fd00::1")));
}

TEST(IpPrefix, refuses_bad_lengths) {
  for (const auto* text : {"10.0.0.1", "10.0.0.1/", "10.0.0.1/33", "::1/129", "10.0.0.1/-1",
                           "10.0.0.1/ 8", "10.0.0.1/8x", "10.0.0.1/+8", "10.0.0.1/999", "/8"}) {
    EXPECT_ERROR(IpPrefix::parse(text), Code::kInvalidInput) << text;
  }
}

TEST(MacAddress, is_written_in_lower_case) {
  EXPECT_EQ(normal<MacAddress>("02:00:5E:10:aB:01"), "02:00:5e:10:ab:01");
}

TEST(MacAddress, refuses_everything_else) {
  for (const auto* text :
       {"", "02:00:5e:10:00", "02:00:5e:10:00:01:02", "02-00-5e-10-00-01", "02:00:5e:10:00:0g",
        "0x:00:5e:10:00:01", "02005e100001", "+2:00:5e:10:00:01", " 2:00:5e:10:00:01"}) {
    EXPECT_ERROR(MacAddress::parse(text), Code::kInvalidInput) << text;
  }
  const std::array<std::uint8_t, 8> bytes{2};
  EXPECT_OK(MacAddress::from_bytes({bytes.data(), 6}));
  EXPECT_ERROR(MacAddress::from_bytes({bytes.data(), 8}), Code::kInvalidInput);
}

TEST(MacAddress, knows_zero_and_multicast) {
  EXPECT_TRUE(MacAddress{}.is_zero());
  EXPECT_FALSE(MacAddress::parse("00:00:00:00:00:01")->is_zero());
  EXPECT_TRUE(MacAddress::parse("ff:ff:ff:ff:ff:ff")->is_multicast());
  EXPECT_FALSE(MacAddress::parse("02:00:00:00:00:01")->is_multicast());
}

TEST(PciAddress, has_a_long_and_a_short_form) {
  EXPECT_EQ(normal<PciAddress>("0000:3B:1f.7"), "0000:3b:1f.7");
  EXPECT_EQ(normal<PciAddress>("3b:00.2"), "0000:3b:00.2");
  EXPECT_EQ(normal<PciAddress>("10000:01:00.0"), "10000:01:00.0");
}

TEST(PciAddress, refuses_everything_else) {
  for (const auto* text :
       {"", ":", "3b:00", "3b:00.8", "3b:20.0", "000:3b:00.0", "0000:3b:00.0.1", "0000:3b:00:0",
        "123456789:3b:00.0", "-000:3b:00.0", "0000:-b:00.0", "0000:3b:00.0 ", "../3b:00.0"}) {
    EXPECT_ERROR(PciAddress::parse(text), Code::kInvalidInput) << text;
  }
}

TEST(PciAddress, is_ordered_as_the_bus_is) {
  EXPECT_LT(*PciAddress::parse("0000:3b:00.7"), *PciAddress::parse("0000:3b:01.0"));
  EXPECT_LT(*PciAddress::parse("0000:ff:00.0"), *PciAddress::parse("0001:00:00.0"));
}

}  // namespace
}  // namespace rocelane
