// SPDX-License-Identifier: Apache-2.0
// NLDEV against a kernel with rxe: devices are made on a veth in the fixture's namespace and go
// with it. Kernels without the RDMA core, or without rxe, skip with that reason.
#include "lib/netlink/rdma.h"

#include <unistd.h>

#include "lib/netlink/link.h"
#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RdmaTest : public test::NetNsTest {
 protected:
  void SetUp() override {
    NetNsTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    auto opened = run([] { return Socket::open(Family::kRdma); });
    ROCELANE_SKIP_IF_UNSUPPORTED(opened, "RDMA core");
    ASSERT_OK(opened);
    rdma_.emplace(std::move(*opened));
    ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
    for (const char* name : {"rl0", "rl1"}) {
      ASSERT_OK(set_link(socket(), link(name).index, {.up = true}));
    }
    add_device();
  }

  void TearDown() override {
    if (rdma_ && device_) {
      EXPECT_OK(remove_rdma_link(*rdma_, device_->index));
    }
  }

  void add_device() {
    auto added = add_rdma_link(*rdma_, name_, "rxe", "rl0");
    ROCELANE_SKIP_IF_UNSUPPORTED(added, "rxe");
    if (!added.ok() && added.error().code == Code::kPermission) {
      GTEST_SKIP() << "not root of the initial user namespace: " << added.error().message;
    }
    ASSERT_OK(added);
    auto mode = get_rdma_netns_mode(*rdma_);
    ASSERT_OK(mode);
    if (*mode == RdmaNetnsMode::kExclusive) {
      fetch_from_initial_netns();
    }
    auto found = find_rdma_device(*rdma_, name_);
    ASSERT_OK(found);
    ASSERT_TRUE(found->has_value());
    device_ = **found;
  }

  // Exclusive mode: new devices appear in the initial netns, which is the test program's own.
  void fetch_from_initial_netns() {
    auto outside = Socket::open(Family::kRdma);
    ASSERT_OK(outside);
    auto made = find_rdma_device(*outside, name_);
    ASSERT_OK(made);
    ASSERT_TRUE(made->has_value());
    ASSERT_OK(move_rdma_device(*outside, (*made)->index, ns().fd()));
  }

  static std::string fresh_name() {
    static int counter = 0;
    return "rltest" + std::to_string(::getpid()) + "n" + std::to_string(++counter);
  }

  // RDMA device names are one space for all namespaces in shared mode.
  const std::string name_ = fresh_name();
  std::optional<Socket> rdma_;
  std::optional<RdmaDevice> device_;
};

TEST_F(RdmaTest, device_is_listed_with_its_guid_and_port) {
  EXPECT_EQ(device_->name, name_);
  EXPECT_EQ(device_->ports, 1U);
  EXPECT_EQ(device_->protocol, "roce");
  // EUI-64 of the netdev's MAC (rxe_init_device_param()).
  const MacAddress mac = link("rl0").mac;
  EXPECT_EQ(device_->node_guid & 0xffffffU, (std::uint64_t{mac.bytes[3]} << 16U) |
                                                (std::uint64_t{mac.bytes[4]} << 8U) | mac.bytes[5]);
}

TEST_F(RdmaTest, port_is_active_and_names_its_netdev) {
  auto ports = dump_rdma_ports(*rdma_, device_->index);
  ASSERT_OK(ports);
  ASSERT_EQ(ports->size(), 1U);
  EXPECT_EQ(ports->front().port, 1U);
  EXPECT_EQ(ports->front().state, RdmaPortState::kActive);
  EXPECT_EQ(ports->front().netdev, link("rl0").index);
  EXPECT_EQ(ports->front().netdev_name, "rl0");
}

TEST_F(RdmaTest, port_goes_down_with_its_netdev) {
  ASSERT_OK(set_link(socket(), link("rl0").index, {.up = false}));
  auto ports = dump_rdma_ports(*rdma_, device_->index);
  ASSERT_OK(ports);
  ASSERT_EQ(ports->size(), 1U);
  EXPECT_EQ(ports->front().state, RdmaPortState::kDown);
}

TEST_F(RdmaTest, uverbs_node_has_its_numbers) {
  auto node = find_uverbs(*rdma_, device_->index);
  ASSERT_OK(node);
  ASSERT_TRUE(node->has_value()) << "is ib_uverbs loaded?";
  EXPECT_THAT((*node)->name, StartsWith("uverbs"));
  EXPECT_GT((*node)->major, 0U);
  constexpr std::uint32_t kRxe = 14;  // RDMA_DRIVER_RXE, rdma/ib_user_ioctl_verbs.h
  EXPECT_EQ((*node)->driver, kRxe);
}

TEST_F(RdmaTest, name_and_netdev_are_taken_once) {
  EXPECT_ERROR(add_rdma_link(*rdma_, name_ + "b", "rxe", "rl0"), Code::kAlreadyExists);
  auto mode = get_rdma_netns_mode(*rdma_);
  ASSERT_OK(mode);
  if (*mode == RdmaNetnsMode::kShared) {  // in exclusive mode each namespace has its own names
    EXPECT_ERROR(add_rdma_link(*rdma_, name_, "rxe", "rl1"), Code::kAlreadyExists);
  }
}

TEST_F(RdmaTest, missing_netdev_and_unknown_type_are_told_apart) {
  EXPECT_ERROR(add_rdma_link(*rdma_, name_ + "b", "rxe", "nosuch"), Code::kNotFound);
  auto unknown = add_rdma_link(*rdma_, name_ + "b", "nosuch", "rl1");
  EXPECT_ERROR(unknown, Code::kUnsupported);
  EXPECT_THAT(unknown.error().message, HasSubstr("NLDEV_CMD_NEWLINK " + name_ + "b type nosuch"));
}

TEST_F(RdmaTest, names_the_kernel_would_rewrite_are_refused) {
  for (const std::string& name : {std::string(), std::string("rxe%d"), std::string(64, 'x')}) {
    EXPECT_ERROR(add_rdma_link(*rdma_, name, "rxe", "rl1"), Code::kInvalidInput) << name;
    EXPECT_ERROR(rename_rdma_device(*rdma_, device_->index, name), Code::kInvalidInput) << name;
  }
}

TEST_F(RdmaTest, renamed) {
  ASSERT_OK(rename_rdma_device(*rdma_, device_->index, name_ + "new"));
  auto found = find_rdma_device(*rdma_, name_ + "new");
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->index, device_->index);
  auto old = find_rdma_device(*rdma_, name_);
  ASSERT_OK(old);
  EXPECT_FALSE(old->has_value());
}

TEST_F(RdmaTest, removed_once_and_again) {
  ASSERT_OK(remove_rdma_link(*rdma_, device_->index));
  EXPECT_OK(remove_rdma_link(*rdma_, device_->index));
  auto found = find_rdma_device(*rdma_, name_);
  ASSERT_OK(found);
  EXPECT_FALSE(found->has_value());
  auto node = find_uverbs(*rdma_, device_->index);
  ASSERT_OK(node);
  EXPECT_FALSE(node->has_value());
}

TEST_F(RdmaTest, device_that_is_gone_is_not_found) {
  constexpr std::uint32_t kNoSuchDevice = 4711;
  EXPECT_ERROR(rename_rdma_device(*rdma_, kNoSuchDevice, "x"), Code::kNotFound);
  EXPECT_ERROR(move_rdma_device(*rdma_, kNoSuchDevice, ns().fd()), Code::kNotFound);
  EXPECT_ERROR(dump_rdma_ports(*rdma_, kNoSuchDevice), Code::kNotFound);
}

TEST_F(RdmaTest, device_goes_with_the_netdev) {
  ASSERT_OK(remove_link(socket(), link("rl0").index));
  // rxe unregisters in a work item after NETDEV_UNREGISTER: any request about it waits for that or
  // finds it gone, so removal stays a success.
  EXPECT_OK(remove_rdma_link(*rdma_, device_->index));
  auto found = find_rdma_device(*rdma_, name_);
  ASSERT_OK(found);
  EXPECT_FALSE(found->has_value());
}

TEST_F(RdmaTest, move_depends_on_the_netns_mode) {
  auto mode = get_rdma_netns_mode(*rdma_);
  ASSERT_OK(mode);
  auto other = test::TestNetNs::create();
  ASSERT_OK(other);
  const auto move = [&] { return move_rdma_device(*rdma_, device_->index, other->fd()); };
  if (*mode == RdmaNetnsMode::kShared) {
    EXPECT_ERROR(run(move), Code::kUnsupported);
    return;
  }
  auto from_outside = move();
  EXPECT_ERROR(from_outside, Code::kInvalidInput);
  EXPECT_THAT(from_outside.error().message, StartsWith("the calling thread is not in"));
  ASSERT_OK(run(move));
  auto here = find_rdma_device(*rdma_, name_);
  ASSERT_OK(here);
  EXPECT_FALSE(here->has_value());
  auto there = other->run([] { return Socket::open(Family::kRdma); });
  ASSERT_OK(there);
  auto found = find_rdma_device(*there, name_);
  ASSERT_OK(found);
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ((*found)->index, device_->index);
  EXPECT_OK(remove_rdma_link(*there, device_->index));
}

TEST_F(RdmaTest, netns_mode_cannot_change_while_other_namespaces_exist) {
  auto mode = get_rdma_netns_mode(*rdma_);
  ASSERT_OK(mode);
  const RdmaNetnsMode opposite =
      *mode == RdmaNetnsMode::kShared ? RdmaNetnsMode::kExclusive : RdmaNetnsMode::kShared;
  EXPECT_ERROR(set_rdma_netns_mode(*rdma_, opposite), Code::kBusy);
  EXPECT_OK(set_rdma_netns_mode(*rdma_, *mode));
}

}  // namespace
}  // namespace rocelane::netlink
