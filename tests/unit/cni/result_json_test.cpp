// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/protocol.h"
#include "tests/support/result_matchers.h"

namespace rocelane::cni {
namespace {

IpPrefix prefix(std::string_view text) { return IpPrefix::parse(text).value_or({}); }
IpAddress address(std::string_view text) { return IpAddress::parse(text).value_or({}); }

AddResult sample() {
  return AddResult{
      .interfaces = {{.name = "roce0",
                      .mac = MacAddress::parse("02:00:5e:10:00:01").value_or({}),
                      .mtu = 4200,
                      .sandbox = "/run/netns/x",
                      .pci_id = "0000:3b:00.2"}},
      .ips = {{.address = prefix("10.56.0.5/24"), .gateway = address("10.56.0.1"), .interface = 0},
              {.address = prefix("fd00::5/64"), .gateway = std::nullopt, .interface = 0}},
      .routes = {{.dst = prefix("10.57.0.0/16"),
                  .gateway = address("10.56.0.1"),
                  .mtu = 1500,
                  .advmss = 1460,
                  .priority = 10,
                  .table = 100,
                  .scope = 0}},
      .dns = R"({"nameservers":["10.0.0.10"]})"};
}

// Specification 0.3.1 and 0.4.0, "Result": ips have the version of their family.
TEST(Result, has_the_shape_of_0_3_and_0_4) {
  for (const auto* version : {"0.3.1", "0.4.0"}) {
    EXPECT_EQ(encode_result(sample(), version),
              R"({"cniVersion":")" + std::string(version) +
                  R"(","dns":{"nameservers":["10.0.0.10"]},)"
                  R"("interfaces":[{"mac":"02:00:5e:10:00:01","name":"roce0",)"
                  R"("sandbox":"/run/netns/x"}],)"
                  R"("ips":[{"address":"10.56.0.5/24","gateway":"10.56.0.1","interface":0,)"
                  R"("version":"4"},{"address":"fd00::5/64","interface":0,"version":"6"}],)"
                  R"("routes":[{"dst":"10.57.0.0/16","gw":"10.56.0.1"}]})");
  }
}

TEST(Result, has_the_shape_of_1_0) {
  EXPECT_EQ(encode_result(sample(), "1.0.0"),
            R"({"cniVersion":"1.0.0","dns":{"nameservers":["10.0.0.10"]},)"
            R"("interfaces":[{"mac":"02:00:5e:10:00:01","name":"roce0",)"
            R"("sandbox":"/run/netns/x"}],)"
            R"("ips":[{"address":"10.56.0.5/24","gateway":"10.56.0.1","interface":0},)"
            R"({"address":"fd00::5/64","interface":0}],)"
            R"("routes":[{"dst":"10.57.0.0/16","gw":"10.56.0.1"}]})");
}

TEST(Result, has_the_shape_of_1_1) {
  EXPECT_EQ(encode_result(sample(), "1.1.0"),
            R"({"cniVersion":"1.1.0","dns":{"nameservers":["10.0.0.10"]},)"
            R"("interfaces":[{"mac":"02:00:5e:10:00:01","mtu":4200,"name":"roce0",)"
            R"("pciID":"0000:3b:00.2","sandbox":"/run/netns/x"}],)"
            R"("ips":[{"address":"10.56.0.5/24","gateway":"10.56.0.1","interface":0},)"
            R"({"address":"fd00::5/64","interface":0}],)"
            R"("routes":[{"advmss":1460,"dst":"10.57.0.0/16","gw":"10.56.0.1","mtu":1500,)"
            R"("priority":10,"scope":0,"table":100}]})");
}

TEST(Result, comes_back_as_it_was) {
  const auto again = parse_result(encode_result(sample(), "1.1.0"));
  ASSERT_OK(again);
  EXPECT_EQ(*again, sample());
  const auto older = parse_result(encode_result(sample(), "0.3.1"));
  ASSERT_OK(older);
  EXPECT_EQ(older->ips, sample().ips);
}

TEST(Result, of_an_ipam_plugin_may_lack_interfaces) {
  const auto result = parse_result(
      R"({"cniVersion":"1.0.0","ips":[{"address":"10.1.0.2/24","gateway":"10.1.0.1"}],"dns":{}})");
  ASSERT_OK(result);
  EXPECT_EQ(result->ips.size(), 1U);
  EXPECT_TRUE(result->interfaces.empty());
  EXPECT_EQ(result->dns, "");
}

TEST(Result, null_lists_and_new_keys_are_fine) {
  EXPECT_OK(parse_result(R"({"cniVersion":"1.1.0","interfaces":null,"ips":null,"routes":null,
      "dns":null,"novel":{"x":1}})"));
  EXPECT_OK(parse_result(R"({"cniVersion":"1.1.0","interfaces":[{"name":"a","mac":""}]})"));
}

TEST(Result, mistakes_are_named) {
  const auto result = parse_result(R"({"ips":[{"address":"10.1.0.2"}],"routes":[{}]})");
  EXPECT_ERROR(result, Code::kInvalidInput);
  EXPECT_EQ(result.error().message,
            "$.ips[0].address: \"10.1.0.2\" has no prefix length (want 10.56.0.5/24)\n"
            "$.routes[0].dst: is missing");
  EXPECT_ERROR(parse_result(""), Code::kInvalidInput);
  EXPECT_ERROR(parse_result("[]"), Code::kInvalidInput);
}

TEST(Result, of_0_2_is_unsupported) {
  EXPECT_ERROR(parse_result(R"({"cniVersion":"0.2.0","ip4":{"ip":"10.1.0.2/24"}})"),
               Code::kUnsupported);
}

TEST(Result, cut_anywhere_is_an_error) {
  const auto text = encode_result(sample(), "1.1.0");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_ERROR(parse_result(std::string_view(text).substr(0, size)), Code::kInvalidInput) << size;
    EXPECT_FALSE(parse_error(std::string_view(text).substr(0, size)).has_value());
  }
}

TEST(ErrorObject, has_version_code_and_sentence) {
  const CniError error{.code = ErrorCode::kTryAgainLater, .message = "busy", .details = "why"};
  EXPECT_EQ(encode_error(error, "1.0.0"),
            R"({"cniVersion":"1.0.0","code":11,"details":"why","msg":"busy"})");
  EXPECT_EQ(encode_error({.code = ErrorCode::kKernel, .message = "m", .details = {}}, "0.3.1"),
            R"({"cniVersion":"0.3.1","code":100,"msg":"m"})");
}

TEST(ErrorObject, before_a_version_is_known_has_the_newest) {
  EXPECT_EQ(encode_error({.code = ErrorCode::kDecode, .message = "m", .details = {}}, ""),
            R"({"cniVersion":"1.1.0","code":6,"msg":"m"})");
}

TEST(ErrorObject, is_json_whatever_bytes_the_sentence_has) {
  const auto text =
      encode_error({.code = ErrorCode::kIo, .message = "a\"\n\xff", .details = {}}, "1.0.0");
  const auto again = parse_error(text);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->message, "a\"\n\xef\xbf\xbd");
}

TEST(ErrorObject, of_a_delegate_is_read) {
  const auto error = parse_error(R"({"cniVersion":"1.0.0","code":999,"msg":"full","x":1})");
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(static_cast<unsigned>(error->code), 999U);
  EXPECT_EQ(error->message, "full");
}

TEST(ErrorObject, other_texts_are_none) {
  for (const auto* text : {"", "oops", "[]", "{}", R"({"msg":"x"})", R"({"code":"7"})",
                           R"({"code":-1,"msg":"x"})", R"({"cniVersion":"1.0.0","ips":[]})"}) {
    EXPECT_FALSE(parse_error(text).has_value()) << text;
  }
}

TEST(VersionAnswer, lists_the_spoken_versions) {
  EXPECT_EQ(encode_versions("0.4.0"),
            R"({"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0","1.0.0","1.1.0"]})");
  EXPECT_EQ(encode_versions(""),
            R"({"cniVersion":"1.1.0","supportedVersions":["0.3.1","0.4.0","1.0.0","1.1.0"]})");
}

}  // namespace
}  // namespace rocelane::cni
