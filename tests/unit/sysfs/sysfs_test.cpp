// SPDX-License-Identifier: Apache-2.0
#include "lib/sysfs/sysfs.h"

#include <sys/stat.h>

#include "tests/support/fake_sysfs.h"
#include "tests/support/result_matchers.h"

namespace rocelane::sysfs {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class SysfsTest : public testing::Test {
 protected:
  void SetUp() override {
    tree_.add_function({.address = "0000:01:00.0", .netdev = "ens1f0", .total_vfs = 7});
    tree_.add_vf("0000:01:00.0", 0, {.address = "0000:01:10.0", .driver = "igbvf"});
  }

  test::FakeSysfs tree_;
  Sysfs sysfs_ = tree_.open();
};

TEST_F(SysfsTest, read_drops_the_trailing_newline_only) {
  tree_.write("class/net/ens1f0/label", "one\n\n two ");
  auto content = sysfs_.read("class/net/ens1f0/label");
  ASSERT_OK(content);
  EXPECT_EQ(*content, "one\n\n two ");
}

TEST_F(SysfsTest, read_follows_symbolic_links_as_sysfs_has_them) {
  auto vendor = sysfs_.read("class/net/ens1f0/device/virtfn0/device");
  ASSERT_OK(vendor);
  EXPECT_EQ(*vendor, "0x10ca");
}

TEST_F(SysfsTest, read_of_an_absent_file_names_it) {
  auto content = sysfs_.read("class/net/ens9/mtu");
  EXPECT_ERROR(content, Code::kNotFound);
  EXPECT_NE(content.error().message.find("class/net/ens9/mtu"), std::string::npos);
}

TEST_F(SysfsTest, read_of_a_directory_is_an_error) { EXPECT_FALSE(sysfs_.read("class/net").ok()); }

TEST_F(SysfsTest, paths_out_of_the_root_are_refused) {
  for (const char* path : {"/etc/hostname", "../etc", "class/../../etc", "class/net/.."}) {
    EXPECT_ERROR(sysfs_.read(path), Code::kInvalidInput) << path;
    EXPECT_ERROR(sysfs_.find(path), Code::kInvalidInput) << path;
    EXPECT_ERROR(sysfs_.list(path), Code::kInvalidInput) << path;
    EXPECT_ERROR(sysfs_.link_name(path), Code::kInvalidInput) << path;
    EXPECT_ERROR(sysfs_.write(path, "x"), Code::kInvalidInput) << path;
    EXPECT_FALSE(sysfs_.exists(path)) << path;
  }
}

TEST_F(SysfsTest, dots_inside_a_name_are_not_a_way_out) {
  tree_.write("class/net/a..b/mtu", "1500");
  EXPECT_OK(sysfs_.read("class/net/a..b/mtu"));
}

TEST_F(SysfsTest, find_tells_absent_from_present) {
  auto present = sysfs_.find("class/net/ens1f0/mtu");
  ASSERT_OK(present);
  EXPECT_EQ(*present, "1500");
  auto absent = sysfs_.find("class/net/ens1f0/phys_switch_id");
  ASSERT_OK(absent);
  EXPECT_EQ(*absent, std::nullopt);
  auto below_a_file = sysfs_.find("class/net/ens1f0/mtu/deeper");
  ASSERT_OK(below_a_file);
  EXPECT_EQ(*below_a_file, std::nullopt);
}

TEST_F(SysfsTest, find_passes_other_errors_on) {
  EXPECT_FALSE(sysfs_.find("class/net").ok());  // EISDIR
}

TEST(SysfsOnTheRealKernel, find_takes_a_refusal_of_the_driver_as_absent) {
  // net-sysfs.c: speed of the loopback device fails with EINVAL.
  auto sysfs = Sysfs::open("/sys");
  if (!sysfs.ok() || !sysfs->exists("class/net/lo/speed")) {
    GTEST_SKIP() << "no /sys/class/net/lo/speed here";
  }
  auto direct = sysfs->read("class/net/lo/speed");
  ASSERT_FALSE(direct.ok());
  EXPECT_EQ(direct.error().sys_errno, EINVAL);
  auto speed = sysfs->find("class/net/lo/speed");
  ASSERT_OK(speed);
  EXPECT_EQ(*speed, std::nullopt);
}

struct NumberCase {
  const char* text;
  std::int64_t value;
};

class SysfsNumber : public SysfsTest, public testing::WithParamInterface<NumberCase> {};

TEST_P(SysfsNumber, is_read) {
  tree_.write("number", GetParam().text);
  auto value = sysfs_.read_number("number");
  ASSERT_OK(value);
  EXPECT_EQ(*value, GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(Forms, SysfsNumber,
                         testing::Values(NumberCase{"7", 7}, NumberCase{"-1", -1},
                                         NumberCase{"0x10ca", 0x10ca}, NumberCase{"0", 0},
                                         NumberCase{"9223372036854775807", INT64_MAX}));

class SysfsNotNumber : public SysfsTest, public testing::WithParamInterface<const char*> {};

TEST_P(SysfsNotNumber, is_refused) {
  tree_.write("number", GetParam());
  EXPECT_ERROR(sysfs_.read_number("number"), Code::kInvalidInput);
}

INSTANTIATE_TEST_SUITE_P(Forms, SysfsNotNumber,
                         testing::Values("", "0x", "0x-1", "7 ", " 7", "7\n8", "1e3", "+1",
                                         "9223372036854775808", "0b1", "seven"));

TEST_F(SysfsTest, write_replaces_the_value) {
  ASSERT_OK(sysfs_.write("class/net/ens1f0/device/sriov_numvfs", "12"));
  ASSERT_OK(sysfs_.write("class/net/ens1f0/device/sriov_numvfs", "7"));
  auto value = sysfs_.read("bus/pci/devices/0000:01:00.0/sriov_numvfs");
  ASSERT_OK(value);
  EXPECT_EQ(*value, "7");
}

TEST_F(SysfsTest, write_never_creates_a_file) {
  EXPECT_ERROR(sysfs_.write("class/net/ens1f0/nothing", "1"), Code::kNotFound);
  EXPECT_FALSE(sysfs_.exists("class/net/ens1f0/nothing"));
}

TEST_F(SysfsTest, list_is_sorted_and_has_no_dots) {
  tree_.add_virtual_netdev("veth0", "02:00:00:00:00:01", 5);
  tree_.add_virtual_netdev("bond0", "02:00:00:00:00:02", 6);
  auto names = sysfs_.list("class/net");
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("bond0", "ens1f0", "veth0"));
}

TEST_F(SysfsTest, list_of_an_absent_directory_is_empty) {
  auto names = sysfs_.list("bus/pci/devices/0000:01:10.0/net");
  ASSERT_OK(names);
  EXPECT_THAT(*names, IsEmpty());
}

TEST_F(SysfsTest, list_of_the_root) {
  auto names = sysfs_.list("");
  ASSERT_OK(names);
  EXPECT_THAT(*names, ElementsAre("bus", "class", "devices"));
}

TEST_F(SysfsTest, link_name_is_the_last_component) {
  auto pf = sysfs_.link_name("bus/pci/devices/0000:01:10.0/physfn");
  ASSERT_OK(pf);
  EXPECT_EQ(*pf, "0000:01:00.0");
  auto absent = sysfs_.link_name("bus/pci/devices/0000:01:00.0/physfn");
  ASSERT_OK(absent);
  EXPECT_EQ(*absent, std::nullopt);
}

TEST_F(SysfsTest, link_name_of_something_else_is_an_error) {
  EXPECT_FALSE(sysfs_.link_name("bus/pci/devices/0000:01:10.0/vendor").ok());
}

TEST_F(SysfsTest, exists_follows_links) {
  EXPECT_TRUE(sysfs_.exists("class/net/ens1f0/device/virtfn0"));
  tree_.link("class/net/dangling", "devices/none");
  EXPECT_FALSE(sysfs_.exists("class/net/dangling"));
}

TEST_F(SysfsTest, keeps_its_root_when_the_path_changes_meaning) {
  test::TempDir directory;
  std::filesystem::create_symlink(tree_.root(), directory / "sys");
  auto sysfs = Sysfs::open(directory / "sys");
  ASSERT_OK(sysfs);
  std::filesystem::remove(directory / "sys");
  EXPECT_TRUE(sysfs->exists("class/net/ens1f0"));
}

TEST(Sysfs, open_of_an_absent_root) {
  EXPECT_ERROR(Sysfs::open("/nonexistent/sys"), Code::kNotFound);
}

}  // namespace
}  // namespace rocelane::sysfs
