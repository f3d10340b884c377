// SPDX-License-Identifier: Apache-2.0
#include "lib/config/config.h"
#include "tests/support/result_matchers.h"
#include "tests/support/sample_config.h"

namespace rocelane::config {
namespace {

using testing::HasSubstr;

std::string problems_of(std::string_view text) {
  const auto config = parse_config(text);
  EXPECT_ERROR(config, Code::kInvalidInput) << text;
  return config.ok() ? std::string() : config.error().message;
}

struct Mistake {
  std::string text;
  std::string problem;  // the whole message
};

class ConfigMistake : public testing::TestWithParam<Mistake> {};

TEST_P(ConfigMistake, is_named_with_its_path) {
  EXPECT_EQ(problems_of(GetParam().text), GetParam().problem);
}

Mistake in_pool(const std::string& keys, const std::string& problem) {
  return {R"({"resourceList":[{"resourceName":"r",)" + keys + "}]}",
          "$.resourceList[0]." + problem};
}
Mistake in_selector(const std::string& keys, const std::string& problem) {
  return in_pool(R"("selectors":[{)" + keys + "}]", "selectors[0]." + problem);
}
Mistake in_network(const std::string& keys, const std::string& problem) {
  return {R"({"networks":[{"name":"n",)" + keys + "}]}", "$.networks[0]." + problem};
}
Mistake in_ipam(const std::string& keys, const std::string& problem) {
  return in_network(R"("ipam":{"type":"host-local",)" + keys + "}", "ipam." + problem);
}

INSTANTIATE_TEST_SUITE_P(
    Pools, ConfigMistake,
    testing::Values(
        Mistake{R"([])", "$: must be an object, is a list"},
        Mistake{R"({"resourceList":{}})", "$.resourceList: must be a list, is an object"},
        Mistake{R"({"resourceList":[{}]})", "$.resourceList[0].resourceName: is missing"},
        Mistake{R"({"resourceList":[{"resourceName":"a.b"}]})",
                "$.resourceList[0].resourceName: must be 1-63 letters, digits, _ and -, is "
                "\"a.b\""},
        Mistake{R"({"resourceList":[{"resourceName":"r"},{"resourceName":"r"}]})",
                "$.resourceList[1].resourceName: rdma/r is already the name of $.resourceList[0]"},
        Mistake{R"({"resourceList":[{"resourceName":"r","network":"trian"}],)"
                R"("networks":[{"name":"train"}]})",
                "$.resourceList[0].network: there is no network \"trian\" (did you mean train?)"},
        in_pool(R"("resourcePrefix":"Rdma/x")",
                "resourcePrefix: must be a lower-case DNS name, is \"Rdma/x\""),
        in_pool(R"("attach":"chained")", "attach: \"chained\" needs a network"),
        in_pool(R"("attach":"chain")",
                "attach: must be \"chained\" or \"multus\", is \"chain\" (did you mean chained?)"),
        in_pool(R"("type":"softroce")",
                "type: must be \"sriov\", \"softRoce\" or \"shared\", is \"softroce\" (did you "
                "mean softRoce?)"),
        in_pool(R"("nodeSelector":{"a":1})", "nodeSelector.a: must be a string, is a number"),
        in_pool(R"("nodeSelector":{"a.b/c":true})",
                "nodeSelector[\"a.b/c\"]: must be a string, is true or false"),
        in_pool(R"("deviceType":"accelerator")",
                "deviceType: only \"netDevice\" is supported, is \"accelerator\""),
        in_pool(R"("additionalInfo":{"eth0":{}})",
                "additionalInfo.eth0: must be a PCI address or \"*\""),
        in_pool(R"("rail":256)", "rail: must be 0-255, is 256"),
        in_selector(R"("pfName":["x"])", "pfName: unknown key (did you mean pfNames?)"),
        in_selector(R"("pfNames":"x")", "pfNames: must be a list, is a string"),
        in_selector(R"("pfNames":["x#3-1"])", "pfNames[0]: range \"3-1\" runs backwards"),
        in_selector(R"("pfNames":["x#"])", "pfNames[0]: \"\" is not a VF index (0-65535)"),
        in_selector(R"("pfNames":["x#0,"])", "pfNames[0]: \"\" is not a VF index (0-65535)"),
        in_selector(R"("pfNames":["x#0-99999999"])",
                    "pfNames[0]: \"99999999\" is not a VF index (0-65535)"),
        in_selector(R"("pfNames":["a-name-of-16-chr"])",
                    "pfNames[0]: \"a-name-of-16-chr\" is no name of a network interface (1-15 "
                    "characters)"),
        in_selector(R"("vendors":["0x15b3"])",
                    "vendors[0]: must be four hex digits as in \"15b3\", is \"0x15b3\""),
        in_selector(R"("pciAddresses":["3b:00"])",
                    "pciAddresses[0]: \"3b:00\" is not a PCI address (want 0000:3b:00.2)"),
        in_selector(R"("rootDevices":["ens1"])",
                    "rootDevices[0]: \"ens1\" is not a PCI address (want 0000:3b:00.2)"),
        in_selector(R"("linkTypes":["infiniband"])",
                    "linkTypes[0]: only \"ether\" is possible (RoCE is RDMA over Ethernet), is "
                    "\"infiniband\""),
        in_selector(R"("vdpaType":"vhost")",
                    "vdpaType: vDPA devices are not supported: they carry no RDMA"),
        in_selector(R"("pKeys":["0x1"])",
                    "pKeys: partition keys are InfiniBand's; a RoCE network has a VLAN instead"),
        in_selector(R"("isRdma":"yes")", "isRdma: must be true or false, is a string"),
        in_selector(R"("isRdma":true,"isRdma":false)", "isRdma: is given twice")));

INSTANTIATE_TEST_SUITE_P(
    Networks, ConfigMistake,
    testing::Values(
        Mistake{R"({"networks":[{"name":"n"},{"name":"n"}]})",
                "$.networks[1].name: \"n\" is already the name of $.networks[0]"},
        in_network(R"("vlan":4095)", "vlan: must be 0-4094, is 4095"),
        in_network(R"("vlan":-1)", "vlan: must be 0-4094, is -1"),
        in_network(R"("vlan":1.5)", "vlan: must be a whole number, is a number with a fraction"),
        in_network(R"("vlan":null)", "vlan: must be a whole number, is null"),
        in_network(R"("vlan":7,"vlanQoS":8)", "vlanQoS: must be 0-7, is 8"),
        in_network(R"("vlanQoS":3)", "vlanQoS: needs a vlan other than 0"),
        in_network(R"("mtu":67)", "mtu: must be 68-65535, is 67"),
        in_network(R"("mtu":65536)", "mtu: must be 68-65535, is 65536"),
        in_network(R"("trafficClass":256)", "trafficClass: must be 0-255, is 256"),
        in_network(R"("interface":"fourteen-chars")",
                   "interface: \"fourteen-chars\" is longer than 13 characters: the index must "
                   "fit behind it"),
        in_network(R"("interface":"a/b")",
                   "interface: \"a/b\" is no name of a network interface (1-15 characters)"),
        in_network(R"("interface":"eth")",
                   "interface: \"eth\" would make eth0, the pod's primary interface"),
        in_network(R"("spoofchk":true)", "spoofchk: must be a string, is true or false"),
        in_network(R"("trust":"yes")", "trust: must be \"on\" or \"off\", is \"yes\""),
        in_network(R"("vrf":{"mode":"table"})", "vrf.table: is missing"),
        in_network(R"("vrf":{"mode":"table","table":254})",
                   "vrf.table: 254 is one of the kernel's own (253-255)"),
        in_network(R"("namespaces":"*")", "namespaces: must be a list, is a string"),
        in_network(R"("namespaces":["Team_A"])",
                   "namespaces[0]: must be the name of a namespace or \"*\", is \"Team_A\""),
        in_network(R"("ipam":{})", "ipam.type: is missing\n$.networks[0].ipam.subnet: is missing"),
        in_network(R"("ipam":{"type":"../bin/sh"})",
                   "ipam.type: must be the file name of an IPAM plugin, is \"../bin/sh\"\n"
                   "$.networks[0].ipam.subnet: is missing")));

INSTANTIATE_TEST_SUITE_P(
    Addresses, ConfigMistake,
    testing::Values(
        in_ipam(R"("subnet":"10.0.0.0")",
                "subnet: \"10.0.0.0\" has no prefix length (want 10.56.0.5/24)"),
        in_ipam(R"("subnet":"10.0.0.5/24")",
                "subnet: 10.0.0.5/24 has host bits, did you mean 10.0.0.0/24?"),
        in_ipam(R"("subnet":"10.0.0.0/31","blockSize":31)",
                "subnet: 10.0.0.0/31 is too small, the longest prefix is /30"),
        in_ipam(R"("subnet":"10.0.0.0/29")",
                "blockSize: must be 29-32 in the subnet 10.0.0.0/29, is 28"),
        in_ipam(R"("subnet":"10.0.0.0/24","blockSize":33)",
                "blockSize: must be 24-32 in the subnet 10.0.0.0/24, is 33"),
        in_ipam(R"("subnet":"fd00::/64","blockSize":28)",
                "blockSize: must be 64-128 in the subnet fd00::/64, is 28"),
        in_ipam(R"("subnet":"10.0.0.0/24","gateway":"10.0.1.1")",
                "gateway: 10.0.1.1 is not in the subnet 10.0.0.0/24"),
        in_ipam(R"("subnet":"10.0.0.0/24","gateway":"fd00::1")",
                "gateway: fd00::1 is not in the subnet 10.0.0.0/24"),
        in_ipam(R"("subnet":"10.0.0.0/24","rangeStart":"10.0.0.9","rangeEnd":"10.0.0.8")",
                "rangeEnd: is before rangeStart"),
        in_ipam(R"("subnet":"10.0.0.0/24","mode":"routed")",
                "mode: \"routed\" is not supported by this version"),
        in_ipam(R"("subnet":"10.0.0.0/24","dataDir":"x")",
                "dataDir: must be an absolute path, is \"x\""),
        in_ipam(R"("subnet":"10.0.0.0/24","routes":[{"gw":"10.0.0.1"}])",
                "routes[0].dst: is missing"),
        in_ipam(R"("subnet":"10.0.0.0/24","routes":[{"dst":"fd00::/8","gw":"10.0.0.1"}])",
                "routes[0].gw: is of another address family than dst"),
        in_ipam(R"("subnet":"10.0.0.0/24","gatway":"10.0.0.1")",
                "gatway: unknown key (did you mean gateway?)")));

INSTANTIATE_TEST_SUITE_P(
    Rest, ConfigMistake,
    testing::Values(
        Mistake{R"({"fabric":{"rdmaNetnsMode":"excl"}})",
                "$.fabric.rdmaNetnsMode: must be \"auto\", \"shared\" or \"exclusive\", is "
                "\"excl\""},
        Mistake{R"({"fabric":{"ports":[{}]}})", "$.fabric.ports[0].pfNames: is missing"},
        Mistake{R"({"fabric":{"ports":[{"pfNames":[]}]}})",
                "$.fabric.ports[0].pfNames: must name a port"},
        Mistake{R"({"fabric":{"ports":[{"pfNames":["a"]},{"pfNames":["b","a"]}]}})",
                "$.fabric.ports[1].pfNames: a is also in $.fabric.ports[0]"},
        Mistake{R"({"fabric":{"ports":[{"pfNames":["a"],"numVfs":65536}]}})",
                "$.fabric.ports[0].numVfs: must be 0-65535, is 65536"},
        Mistake{R"({"fabric":{"profiles":{"x":3}}})", "$.fabric.profiles.x: must be an object"},
        Mistake{R"({"memlock":{"limit":"64Mb"}})",
                "$.memlock.limit: must be \"unlimited\" or bytes as in \"64Mi\", is \"64Mb\""},
        Mistake{R"({"memlock":{"limit":"99999999999999Ti"}})",
                "$.memlock.limit: must be \"unlimited\" or bytes as in \"64Mi\", is "
                "\"99999999999999Ti\""},
        Mistake{R"({"memlock":{"limit":-1}})",
                "$.memlock.limit: must be 0-18446744073709551615, is -1"},
        Mistake{R"({"probes":{"interval":500}})",
                "$.probes.interval: must be a string, is a number"},
        Mistake{R"({"probes":{"interval":"1d"}})",
                "$.probes.interval: must be a duration from 10ms to 1h as in \"500ms\", is "
                "\"1d\""}));

TEST(ConfigMistakes, all_come_in_one_answer_a_line_each) {
  const auto message = problems_of(R"({"resourceLists":[],"networks":[{"name":"n","vlan":"7"},
      {"name":"m","vlan":5000,"mtuu":9000}],"memlock":{"limit":true}})");
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 4);
  EXPECT_THAT(message, HasSubstr("$.resourceLists: unknown key (did you mean resourceList?)"));
  EXPECT_THAT(message, HasSubstr("$.networks[0].vlan: must be a whole number, is a string"));
  EXPECT_THAT(message, HasSubstr("$.networks[1].vlan: must be 0-4094, is 5000"));
  EXPECT_THAT(message, HasSubstr("$.networks[1].mtuu: unknown key (did you mean mtu?)"));
  EXPECT_THAT(message, HasSubstr("$.memlock.limit: must be a whole number, is true or false"));
}

TEST(ConfigMistakes, syntax_error_says_where) {
  EXPECT_THAT(problems_of("{\n  \"networks\": [}"), HasSubstr("line 2, column 16"));
  EXPECT_THAT(problems_of(""), HasSubstr("unexpected end of input"));
  EXPECT_THAT(problems_of("{} {}"), HasSubstr("column 4"));
}

TEST(ConfigMistakes, every_cut_of_a_good_document_is_an_error) {
  const auto text = test::kSampleConfig;
  ASSERT_OK(parse_config(text));
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_ERROR(parse_config(text.substr(0, size)), Code::kInvalidInput) << size;
  }
}

TEST(ConfigMistakes, any_changed_byte_is_survived) {
  constexpr std::string_view kBytes = "\"{}[,9-\\\xff";
  for (std::size_t at = 0; at < test::kSampleConfig.size(); ++at) {
    std::string text(test::kSampleConfig);
    text[at] = kBytes[at % kBytes.size()];
    const auto config = parse_config(text);
    EXPECT_TRUE(config.ok() || !config.error().message.empty());
  }
}

TEST(ConfigMistakes, deep_nesting_is_refused) {
  std::string text = R"({"fabric":{"profiles":{"x":)";
  text.append(100'000, '[');
  EXPECT_EQ(problems_of(text), "nested deeper than 64 levels");
}

}  // namespace
}  // namespace rocelane::config
