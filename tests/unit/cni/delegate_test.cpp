// SPDX-License-Identifier: Apache-2.0
// The delegates here are shell scripts that write down what they were given.
#include "lib/cni/delegate.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "lib/base/file.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::cni {
namespace {

using testing::HasSubstr;

class DelegateTest : public testing::Test {
 protected:
  void plugin(const std::string& body) const {
    const auto path = dir_ / "ipam-x";
    std::ofstream(path, std::ios::trunc)
        << "#!/bin/sh\ncat > " << dir_.path() << "/stdin\nenv > " << dir_.path() << "/env\n"
        << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] Delegate delegate() const {
    return {.input = R"({"cniVersion":"1.0.0","name":"n","ipam":{"type":"ipam-x"}})",
            .container_id = "c0ffee",
            .netns = "/run/netns/x",
            .if_name = "roce0",
            .args = "IgnoreUnknown=1;K8S_POD_NAME=t",
            .path = {dir_ / "absent", dir_.path()},
            .limit = std::chrono::milliseconds(10'000)};
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return read_file(dir_ / name).value_or("");
  }

  test::TempDir dir_;
};

TEST_F(DelegateTest, add_answers_addresses_and_routes) {
  plugin(R"(echo '{"cniVersion":"1.0.0","ips":[{"address":"10.1.0.2/24"}],
      "routes":[{"dst":"10.2.0.0/16"}]}')");
  const auto result = ipam_add(delegate());
  ASSERT_OK(result);
  ASSERT_EQ(result->ips.size(), 1U);
  EXPECT_EQ(result->ips[0].address.to_string(), "10.1.0.2/24");
  EXPECT_EQ(result->routes.size(), 1U);
  EXPECT_EQ(file("stdin"), delegate().input);
  const auto environment = file("env");
  for (const auto* line :
       {"CNI_COMMAND=ADD\n", "CNI_CONTAINERID=c0ffee\n", "CNI_IFNAME=roce0\n",
        "CNI_NETNS=/run/netns/x\n", "CNI_ARGS=IgnoreUnknown=1;K8S_POD_NAME=t\n"}) {
    EXPECT_THAT(environment, HasSubstr(line));
  }
  EXPECT_THAT(environment, HasSubstr("CNI_PATH=" + dir_ / "absent" + ":" + dir_.path() + "\n"));
}

TEST_F(DelegateTest, absent_plugin_names_the_directories) {
  const auto result = ipam_add(delegate());
  EXPECT_ERROR(result, Code::kNotFound);
  EXPECT_THAT(result.error().message, HasSubstr("ipam-x"));
  EXPECT_THAT(result.error().message, HasSubstr(dir_ / "absent" + ", " + dir_.path()));
  EXPECT_ERROR(ipam_del(delegate()), Code::kNotFound);
}

TEST_F(DelegateTest, directory_or_plain_file_is_no_plugin) {
  std::filesystem::create_directories(dir_ / "ipam-x");
  EXPECT_ERROR(ipam_add(delegate()), Code::kNotFound);
  std::filesystem::remove(dir_ / "ipam-x");
  std::ofstream(dir_ / "ipam-x") << "#!/bin/sh\n";
  EXPECT_ERROR(ipam_add(delegate()), Code::kNotFound);
}

TEST_F(DelegateTest, type_is_a_file_name_and_no_path) {
  for (const auto* input :
       {"{}", "[]", "x", R"({"ipam":{}})", R"({"ipam":{"type":7}})", R"({"ipam":{"type":""}})",
        R"({"ipam":{"type":"../sh"}})", R"({"ipam":{"type":"/bin/sh"}})"}) {
    auto request = delegate();
    request.input = input;
    EXPECT_ERROR(ipam_add(request), Code::kInvalidInput) << input;
    EXPECT_ERROR(ipam_check(request, "{}"), Code::kInvalidInput) << input;
  }
}

TEST_F(DelegateTest, its_own_error_is_passed_on) {
  plugin(
      R"(echo '{"cniVersion":"1.0.0","code":7,"msg":"no free address","details":"full"}'; exit 1)");
  const auto result = ipam_add(delegate());
  EXPECT_ERROR(result, Code::kIo);
  EXPECT_THAT(result.error().message, HasSubstr("ipam-x: code 7: no free address: full"));
}

TEST_F(DelegateTest, try_again_later_is_busy) {
  plugin(R"(echo '{"code":11,"msg":"later"}'; exit 1)");
  EXPECT_ERROR(ipam_add(delegate()), Code::kBusy);
}

TEST_F(DelegateTest, failure_without_an_error_object_shows_stderr) {
  plugin("echo 'panic: nil map' >&2; exit 2");
  const auto result = ipam_add(delegate());
  EXPECT_ERROR(result, Code::kIo);
  EXPECT_THAT(result.error().message, HasSubstr("exit code 2: panic: nil map"));
}

TEST_F(DelegateTest, garbage_with_success_is_an_error) {
  plugin("echo ok");
  EXPECT_FALSE(ipam_add(delegate()).ok());
}

TEST_F(DelegateTest, hanging_plugin_is_stopped) {
  plugin("exec sleep 100");
  auto request = delegate();
  request.limit = std::chrono::milliseconds(200);
  EXPECT_ERROR(ipam_add(request), Code::kTimeout);
}

TEST_F(DelegateTest, del_succeeds_when_nothing_is_left_to_release) {
  plugin("exit 0");
  EXPECT_OK(ipam_del(delegate()));
  EXPECT_THAT(file("env"), HasSubstr("CNI_COMMAND=DEL\n"));
  plugin(R"(echo '{"code":3,"msg":"unknown container"}'; exit 1)");
  EXPECT_OK(ipam_del(delegate()));
  plugin(R"(echo '{"code":5,"msg":"disk"}'; exit 1)");
  EXPECT_ERROR(ipam_del(delegate()), Code::kIo);
}

TEST_F(DelegateTest, check_hands_over_the_previous_result) {
  plugin("exit 0");
  EXPECT_OK(ipam_check(delegate(), R"({"ips":[]})"));
  EXPECT_EQ(
      file("stdin"),
      R"({"cniVersion":"1.0.0","ipam":{"type":"ipam-x"},"name":"n","prevResult":{"ips":[]}})");
  EXPECT_THAT(file("env"), HasSubstr("CNI_COMMAND=CHECK\n"));
  EXPECT_ERROR(ipam_check(delegate(), "nonsense"), Code::kInvalidInput);
}

TEST_F(DelegateTest, no_descriptor_is_inherited) {
  // As a caller might have left one open: without close-on-exec.
  const int leaked = ::fcntl(STDERR_FILENO, F_DUPFD, 100);  // NOLINT(android-cloexec-dup)
  ASSERT_GE(leaked, 100);
  plugin("ls /proc/self/fd > " + dir_ / "fds");
  ASSERT_OK(ipam_del(delegate()));
  ::close(leaked);
  EXPECT_THAT("\n" + file("fds"), testing::Not(HasSubstr("\n" + std::to_string(leaked) + "\n")));
  EXPECT_THAT(file("fds"), HasSubstr("0\n1\n2\n"));
}

}  // namespace
}  // namespace rocelane::cni
