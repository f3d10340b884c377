// SPDX-License-Identifier: Apache-2.0
#include "lib/state/blocks.h"

#include <fstream>

#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::state {
namespace {

TEST(Blocks, none_chosen_yet_is_empty) {
  const test::TempDir dir;
  const auto blocks = load_blocks(dir.path());
  ASSERT_OK(blocks);
  EXPECT_TRUE(blocks->empty());
}

TEST(Blocks, come_back_as_they_were) {
  const test::TempDir dir;
  const Blocks blocks{{"train", 17}, {"six", ~std::uint64_t{0}}};
  ASSERT_OK(save_blocks(dir.path(), blocks));
  const auto again = load_blocks(dir.path());
  ASSERT_OK(again);
  EXPECT_EQ(*again, blocks);
}

TEST(Blocks, damage_is_an_error_and_not_an_empty_choice) {
  const auto text = encode_blocks({{"train", 17}});
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_ERROR(parse_blocks(std::string_view(text).substr(0, size)), Code::kInvalidInput) << size;
  }
  EXPECT_ERROR(parse_blocks(R"({"version":2,"blocks":{}})"), Code::kInvalidInput);
  EXPECT_ERROR(parse_blocks(R"({"version":1,"blocks":{"a":-1}})"), Code::kInvalidInput);
}

}  // namespace
}  // namespace rocelane::state
