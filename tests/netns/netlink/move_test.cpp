// SPDX-License-Identifier: Apache-2.0
// Links between network namespaces: what a CNI ADD and DEL do, with the collisions that happen.
#include "lib/netlink/link.h"
#include "tests/support/test_netns.h"

namespace rocelane::netlink {
namespace {

using testing::ElementsAre;

class MoveTest : public test::NetNsTest {
 protected:
  void SetUp() override {
    NetNsTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    auto made = test::TestNetNs::create();
    ASSERT_OK(made);
    pod_.emplace(std::move(*made));
    ASSERT_OK(add_link(socket(), VethSpec{.name = "rl0", .peer = "rl1"}));
  }

  test::TestNetNs& pod() { return *pod_; }

  Result<void> move(const std::string& name, LinkChange change) {
    change.netns_fd = pod().fd();
    return set_link(socket(), link(name).index, change);
  }

  static std::optional<Link> find(Socket& socket, const std::string& name) {
    auto found = find_link(socket, name);
    EXPECT_OK(found);
    return found.ok() ? *found : std::nullopt;
  }

 private:
  std::optional<test::TestNetNs> pod_;
};

TEST_F(MoveTest, arrives_down_with_its_mac_and_is_gone_here) {
  ASSERT_OK(set_link(socket(), link("rl0").index, {.up = true}));
  const MacAddress mac = link("rl0").mac;
  ASSERT_OK(move("rl0", {}));
  EXPECT_EQ(find(socket(), "rl0"), std::nullopt);
  const auto there = find(pod().socket(), "rl0");
  ASSERT_TRUE(there);
  EXPECT_EQ(there->mac, mac);
  EXPECT_FALSE(there->up());
}

TEST_F(MoveTest, arrives_under_the_name_it_is_given) {
  ASSERT_OK(move("rl0", {.name = "roce0"}));
  EXPECT_TRUE(find(pod().socket(), "roce0"));
  EXPECT_FALSE(find(pod().socket(), "rl0"));
}

TEST_F(MoveTest, alternative_names_travel_along) {
  ASSERT_OK(add_alt_name(socket(), link("rl0").index, "enp59s0f0np0v3-longer"));
  ASSERT_OK(move("rl0", {.name = "roce0"}));
  const auto there = find(pod().socket(), "roce0");
  ASSERT_TRUE(there);
  EXPECT_THAT(there->alt_names, ElementsAre("enp59s0f0np0v3-longer"));
}

TEST_F(MoveTest, name_taken_there_changes_nothing) {
  ASSERT_OK(add_link(pod().socket(), BridgeSpec{.name = "rl0"}));
  const Link before = link("rl0");
  EXPECT_ERROR(move("rl0", {}), Code::kAlreadyExists);
  EXPECT_EQ(link("rl0").index, before.index);
}

TEST_F(MoveTest, another_name_gets_past_one_that_is_taken_there) {
  ASSERT_OK(add_link(pod().socket(), BridgeSpec{.name = "rl0"}));
  ASSERT_OK(move("rl0", {.name = "roce0"}));
  EXPECT_EQ(find(pod().socket(), "roce0")->kind, "veth");
  EXPECT_EQ(find(pod().socket(), "rl0")->kind, "bridge");
}

// The half-way case of the header: moved first, renamed after.
TEST_F(MoveTest, new_name_taken_there_is_refused_after_the_move) {
  ASSERT_OK(add_link(pod().socket(), BridgeSpec{.name = "roce0"}));
  EXPECT_ERROR(move("rl0", {.name = "roce0"}), Code::kAlreadyExists);
  EXPECT_EQ(find(pod().socket(), "roce0")->kind, "bridge");
  EXPECT_FALSE(find(socket(), "rl0"));
  EXPECT_TRUE(find(pod().socket(), "rl0"));
}

TEST_F(MoveTest, passes_through_a_namespace_of_its_own) {
  ASSERT_OK(add_link(pod().socket(), BridgeSpec{.name = "rl0"}));
  auto between = test::TestNetNs::create();
  ASSERT_OK(between);
  ASSERT_OK(set_link(socket(), link("rl0").index, {.netns_fd = between->fd()}));
  const auto waiting = find(between->socket(), "rl0");
  ASSERT_TRUE(waiting);
  ASSERT_OK(set_link(between->socket(), waiting->index, {.name = "roce0"}));
  ASSERT_OK(set_link(between->socket(), waiting->index, {.netns_fd = pod().fd()}));
  EXPECT_TRUE(find(pod().socket(), "roce0"));
}

TEST_F(MoveTest, takes_the_ifindex_it_asks_for) {
  constexpr IfIndex kWanted{4711};
  ASSERT_OK(move("rl0", {.name = "roce0", .new_index = kWanted}));
  EXPECT_EQ(find(pod().socket(), "roce0")->index, kWanted);
}

TEST_F(MoveTest, ifindex_taken_there_changes_nothing) {
  EXPECT_ERROR(move("rl0", {.new_index = IfIndex{1}}), Code::kBusy);
  EXPECT_TRUE(find(socket(), "rl0"));
}

TEST_F(MoveTest, descriptor_that_is_no_netns_is_refused) {
  EXPECT_FALSE(set_link(socket(), link("rl0").index, {.netns_fd = socket().fd()}).ok());
  EXPECT_TRUE(find(socket(), "rl0"));
}

}  // namespace
}  // namespace rocelane::netlink
