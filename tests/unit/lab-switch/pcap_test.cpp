// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/switch/pcap.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::lab {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::chrono::system_clock::time_point kAt{
    std::chrono::microseconds(1'700'000'000'123'456)};

std::uint32_t word(const std::string& content, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, content.data() + offset, sizeof(value));
  return value;
}

// pcap-savefile(5): 24 bytes of file header, then 16 bytes before each frame.
TEST(Pcap, writes_the_classic_format_in_host_order) {
  const test::TempDir dir;
  auto pcap = PcapWriter::create(dir / "a.pcap", 1500);
  ASSERT_OK(pcap);
  pcap->write(Bytes{1, 2, 3}, kAt);
  const auto content = read_file(dir / "a.pcap");
  ASSERT_OK(content);
  ASSERT_EQ(content->size(), 24U + 16U + 3U);
  EXPECT_EQ(word(*content, 0), 0xa1b2c3d4U);
  EXPECT_EQ(word(*content, 4), 4U << 16U | 2U);
  EXPECT_EQ(word(*content, 16), 1500U);
  EXPECT_EQ(word(*content, 20), 1U);
  EXPECT_EQ(word(*content, 24), 1'700'000'000U);
  EXPECT_EQ(word(*content, 28), 123'456U);
  EXPECT_EQ(word(*content, 32), 3U);
  EXPECT_EQ(word(*content, 36), 3U);
  EXPECT_EQ(content->substr(40), std::string("\1\2\3"));
  EXPECT_EQ(pcap->frames(), 1U);
}

TEST(Pcap, cuts_long_frames_and_says_their_real_length) {
  const test::TempDir dir;
  auto pcap = PcapWriter::create(dir / "a.pcap", 4);
  ASSERT_OK(pcap);
  pcap->write(Bytes(100, 'x'), kAt);
  const auto content = read_file(dir / "a.pcap");
  ASSERT_OK(content);
  EXPECT_EQ(word(*content, 32), 4U);
  EXPECT_EQ(word(*content, 36), 100U);
  EXPECT_EQ(content->substr(40), "xxxx");
}

TEST(Pcap, empties_an_old_file) {
  const test::TempDir dir;
  ASSERT_OK(write_file_atomic(dir / "a.pcap", std::string(1000, 'x'), Durability::kRename));
  ASSERT_OK(PcapWriter::create(dir / "a.pcap", 4));
  EXPECT_EQ(read_file(dir / "a.pcap")->size(), 24U);
}

TEST(Pcap, refuses_what_is_not_a_file_without_waiting) {
  const test::TempDir dir;
  ASSERT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  EXPECT_FALSE(PcapWriter::create(dir / "fifo", 4).ok());
  EXPECT_FALSE(PcapWriter::create(dir.path(), 4).ok());
  EXPECT_ERROR(PcapWriter::create("/dev/null", 4), Code::kInvalidInput);
  EXPECT_ERROR(PcapWriter::create(dir / "no/a.pcap", 4), Code::kNotFound);
}

// RLIMIT_FSIZE fails a write in the middle of a frame as a full disk does.
TEST(Pcap, a_failed_write_ends_the_capture_and_keeps_whole_frames) {
  const test::TempDir dir;
  auto pcap = PcapWriter::create(dir / "a.pcap", 1500);
  ASSERT_OK(pcap);
  pcap->write(Bytes{1}, kAt);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 24 + 17 + 20, .rlim_max = before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  pcap->write(Bytes(100), kAt);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_NE(std::signal(SIGXFSZ, old_handler), SIG_ERR);
  pcap->write(Bytes{2}, kAt);
  EXPECT_TRUE(pcap->error());
  EXPECT_EQ(pcap->frames(), 1U);
  EXPECT_EQ(read_file(dir / "a.pcap")->size(), 24U + 17U);
}

}  // namespace
}  // namespace rocelane::lab
