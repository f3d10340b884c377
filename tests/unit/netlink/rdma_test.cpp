// SPDX-License-Identifier: Apache-2.0
// NLDEV answers captured from a kernel with an rxe device; what a kernel does is in tests/netns.
#include "lib/netlink/rdma.h"

#include "tests/support/result_matchers.h"
#include "tests/unit/netlink/frames.h"

namespace rocelane::netlink {
namespace {

using frames::bytes;

TEST(ParseRdmaDevice, captured) {
  auto device = parse_rdma_device(bytes(frames::kRdmaDevice));
  ASSERT_OK(device);
  EXPECT_EQ(*device, (RdmaDevice{.index = 0,
                                 .name = "rxe_one",
                                 .node_guid = 0x505400fffe123499,
                                 .ports = 1,
                                 .protocol = "roce"}));
}

TEST(ParseRdmaDevice, without_a_name_it_is_no_device) {
  EXPECT_ERROR(parse_rdma_device(bytes("08000100 03000000")), Code::kInvalidInput);
  EXPECT_ERROR(parse_rdma_device({}), Code::kInvalidInput);
}

TEST(ParseRdmaDevice, wrong_sizes_are_refused) {
  for (const char* hex : {"07000100 000000 00 0c000200 7278655f6f6e6500",          // index: 3 bytes
                          "0b000200 7278655f6f6e65 00",                            // name: no zero
                          "0c000200 7278655f6f6e6500 0b000600 00000000000000 00",  // GUID: 7
                          "0c000200 7278655f6f6e6500 06000300 0100 0000"}) {       // ports: 2
    EXPECT_ERROR(parse_rdma_device(bytes(hex)), Code::kInvalidInput) << hex;
  }
}

TEST(ParseRdmaPort, captured) {
  auto port = parse_rdma_port(bytes(frames::kRdmaPort));
  ASSERT_OK(port);
  EXPECT_EQ(*port, (RdmaPort{.port = 1,
                             .state = RdmaPortState::kActive,
                             .physical_state = 5,
                             .netdev = IfIndex{3},
                             .netdev_name = "enp2s0"}));
}

TEST(ParseRdmaPort, netdev_of_another_netns_is_absent) {
  auto port = parse_rdma_port(bytes("08000300 01000000 05000c00 01000000 05000d00 03000000"));
  ASSERT_OK(port);
  EXPECT_EQ(*port, (RdmaPort{.port = 1, .state = RdmaPortState::kDown, .physical_state = 3}));
}

TEST(ParseRdmaPort, unknown_states_and_missing_numbers_are_refused) {
  EXPECT_ERROR(parse_rdma_port(bytes("08000300 01000000 05000c00 06000000")), Code::kInvalidInput);
  EXPECT_ERROR(parse_rdma_port(bytes("05000c00 04000000")), Code::kInvalidInput);
  EXPECT_ERROR(parse_rdma_port(bytes("08000300 01000000 06000c00 04000000")), Code::kInvalidInput);
}

TEST(ParseCharDevice, captured) {
  auto device = parse_char_device(bytes(frames::kRdmaCharDevice));
  ASSERT_OK(device);
  constexpr std::uint32_t kRxe = 14;  // RDMA_DRIVER_RXE
  EXPECT_EQ(*device, (CharDevice{.name = "uverbs0", .major = 231, .minor = 192, .driver = kRxe}));
}

// The kernel's 64-bit dev_t: minor bits 8 and up lie above the major (linux/kdev_t.h).
TEST(ParseCharDevice, minor_numbers_above_255) {
  // major 244, minor 0x1c7 = 455: 0x10f4c7.
  auto device = parse_char_device(bytes("0c004800 c7f4100000000000 0d004600 757665726273343500"));
  ASSERT_OK(device);
  EXPECT_EQ(device->major, 244U);
  EXPECT_EQ(device->minor, 455U);
}

TEST(ParseCharDevice, incomplete_answers_are_refused) {
  EXPECT_ERROR(parse_char_device(bytes("0c004800 c0e7000000000000")), Code::kInvalidInput);
  EXPECT_ERROR(parse_char_device(bytes("0c004600 7576657262733000")), Code::kInvalidInput);
  EXPECT_ERROR(parse_char_device(bytes("08004800 c0e70000 0c004600 7576657262733000")),
               Code::kInvalidInput);
}

TEST(ParseRdmaNetnsMode, captured_and_exclusive) {
  auto shared = parse_rdma_netns_mode(bytes(frames::kRdmaSystem));
  ASSERT_OK(shared);
  EXPECT_EQ(*shared, RdmaNetnsMode::kShared);
  auto exclusive = parse_rdma_netns_mode(bytes("05004200 00000000"));
  ASSERT_OK(exclusive);
  EXPECT_EQ(*exclusive, RdmaNetnsMode::kExclusive);
  EXPECT_ERROR(parse_rdma_netns_mode(bytes("05005d00 01000000")), Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::netlink
