// SPDX-License-Identifier: Apache-2.0
#include "lib/base/log.h"

#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::log {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename Body>
std::string logged(Body body) {
  testing::internal::CaptureStderr();
  body();
  return testing::internal::GetCapturedStderr();
}

TEST(Log, is_one_line_of_keys_and_values) {
  const auto line = logged([] {
    info("vf moved", {{"device", "0000:3b:00.2"}, {"err", "two words\nand \"more\""}, {"pod", ""}});
  });
  EXPECT_THAT(line, HasSubstr(" info vf moved device=0000:3b:00.2 "
                              "err=\"two words and \\\"more\\\"\" pod=\"\"\n"));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(Log, level_decides) {
  set_level(Level::kWarn);
  EXPECT_EQ(logged([] { info("quiet"); }), "");
  EXPECT_THAT(logged([] { warn("loud"); }), HasSubstr("loud"));
  set_level(Level::kInfo);
  EXPECT_EQ(logged([] { debug("quiet"); }), "");
}

TEST(Log, has_the_level_names_of_sriov_cni) {
  EXPECT_EQ(*parse_level("debug"), Level::kDebug);
  EXPECT_EQ(*parse_level("warning"), Level::kWarn);
  EXPECT_EQ(*parse_level("panic"), Level::kError);
  EXPECT_ERROR(parse_level("loud"), Code::kInvalidInput);
}

TEST(Log, unopenable_file_is_an_error_and_stderr_stays) {
  const test::TempDir dir;
  EXPECT_ERROR(append_to_file(dir / "absent/log"), Code::kNotFound);
  EXPECT_THAT(logged([] { warn("still here"); }), HasSubstr("still here"));
}

}  // namespace
}  // namespace rocelane::log
