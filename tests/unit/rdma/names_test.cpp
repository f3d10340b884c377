// SPDX-License-Identifier: Apache-2.0
#include "lib/rdma/names.h"

#include <gtest/gtest.h>

namespace rocelane::rdma {
namespace {

TEST(Names, soft_device_name_keeps_letters_and_digits_only) {
  EXPECT_EQ(soft_device_name("0000:01:10.0"), "rxe000001100");
  EXPECT_EQ(soft_device_name("ens1f0-Slot_3"), "rxeens1f0Slot3");
}

TEST(Names, soft_device_names_of_the_vfs_of_one_pf_differ) {
  EXPECT_NE(soft_device_name("0000:01:10.0"), soft_device_name("0000:01:10.4"));
}

TEST(Names, cdi_names_carry_the_device_id_as_it_is) {
  EXPECT_EQ(cdi_device("0000:01:10.0"), "rocelane.io/roce=0000:01:10.0");
  EXPECT_EQ(cdi_spec_file("0000:01:10.0"), "rocelane-0000:01:10.0.json");
}

}  // namespace
}  // namespace rocelane::rdma
