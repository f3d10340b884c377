// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/net_conf.h"

#include "lib/config/config.h"
#include "tests/support/result_matchers.h"

namespace rocelane::cni {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr std::string_view kPrevResult =
    R"({ "cniVersion":"1.0.0", "ips":[ {"address":"10.0.0.2/24"} ],"z":1.50, "a":[{"}":"]\""}] })";

std::string document(const std::string& keys, const std::string& version = "1.0.0") {
  return R"({"cniVersion":")" + version + R"(","name":"n","type":"roce-cni")" +
         (keys.empty() ? "" : ",") + keys + "}";
}
std::string chained(const std::string& keys = "") {
  return document("\"prevResult\":" + std::string(kPrevResult) + (keys.empty() ? "" : ",") + keys);
}
std::string nad(const std::string& keys = "") {
  return document(R"("deviceID":"0000:3b:00.2")" + std::string(keys.empty() ? "" : ",") + keys);
}

NetConf parsed(const std::string& text, Command command = Command::kAdd) {
  auto outcome = parse_net_conf(text, command);
  EXPECT_FALSE(outcome.error.has_value()) << outcome.error->message;
  return outcome.conf.value_or(NetConf{});
}

CniError refused(const std::string& text, Command command = Command::kAdd) {
  auto outcome = parse_net_conf(text, command);
  EXPECT_TRUE(outcome.error.has_value()) << text;
  return outcome.error.value_or(CniError{});
}

std::string problem(const std::string& text) {
  const auto error = refused(text);
  EXPECT_EQ(error.code, ErrorCode::kInvalidConfig);
  constexpr std::string_view kPrefix = "network configuration: ";
  EXPECT_TRUE(error.message.starts_with(kPrefix)) << error.message;
  return error.message.substr(std::min(kPrefix.size(), error.message.size()));
}

TEST(NetConf, chained_entry_has_the_default_places) {
  const auto conf = parsed(chained());
  EXPECT_EQ(conf.mode, Mode::kChained);
  EXPECT_EQ(conf.name, "n");
  EXPECT_EQ(conf.cni_version, "1.0.0");
  EXPECT_EQ(conf.places, (Places{.config_file = std::string(config::kRenderedConfig),
                                 .state_dir = std::string(config::kStateDir),
                                 .cdi_dir = std::string(config::kCdiDir),
                                 .sysfs_root = std::string(config::kSysfsRoot),
                                 .proc_root = "/proc",
                                 .pod_resources_socket = std::string(config::kPodResourcesSocket),
                                 .oci_hook = std::string(config::kOciHook)}));
  EXPECT_FALSE(conf.nad.has_value());
}

TEST(NetConf, every_place_can_be_given) {
  const auto conf = parsed(chained(R"("configFile":"/a","stateDir":"/b","cdiDir":"/c",
      "sysfsRoot":"/d","procRoot":"/e","podResourcesSocket":"/f","ociHook":"/g",
      "logLevel":"debug","logFile":"/h")"));
  EXPECT_EQ(conf.places, (Places{.config_file = "/a",
                                 .state_dir = "/b",
                                 .cdi_dir = "/c",
                                 .sysfs_root = "/d",
                                 .proc_root = "/e",
                                 .pod_resources_socket = "/f",
                                 .oci_hook = "/g"}));
  EXPECT_EQ(conf.log_level, "debug");
  EXPECT_EQ(conf.log_file, "/h");
}

TEST(NetConf, prev_result_is_kept_byte_for_byte) {
  EXPECT_EQ(parsed(chained()).prev_result, kPrevResult);
  EXPECT_EQ(parsed(document("\"prevResult\" : \n" + std::string(kPrevResult) + "\n , \"dns\":{}"))
                .prev_result,
            kPrevResult);
}

TEST(NetConf, prev_result_of_an_inner_object_is_not_taken) {
  const auto conf = parsed(nad(R"("args":{"prevResult":{"x":1}},"ipam":{"type":"static",
      "prevResult":{}})"));
  EXPECT_THAT(conf.prev_result, IsEmpty());
}

TEST(NetConf, prev_result_under_an_escaped_key_keeps_its_value) {
  EXPECT_EQ(parsed(document(R"("prev\u0052esult":{"b": 1, "a":2})")).prev_result,
            R"({"a":2,"b":1})");
}

TEST(NetConf, nad_takes_the_fields_of_sriov_cni) {
  const auto conf = parsed(nad(R"("vlan":100,"vlanQoS":3,"vlanProto":"802.1ad",
      "mac":"02:00:5e:10:00:01","spoofchk":"off","trust":"on","link_state":"enable",
      "min_tx_rate":10,"max_tx_rate":100,"mtu":4200,"deviceType":"softRoce",
      "ipam":{"type":"static", "addresses":[]})"));
  EXPECT_EQ(conf.mode, Mode::kNad);
  EXPECT_EQ(conf.nad, (NadFields{.device_id = "0000:3b:00.2",
                                 .vlan = 100,
                                 .vlan_qos = 3,
                                 .vlan_proto = 0x88a8,
                                 .mac = MacAddress::parse("02:00:5e:10:00:01").value_or({}),
                                 .spoofchk = false,
                                 .trust = true,
                                 .link_state = "enable",
                                 .min_tx_rate = 10,
                                 .max_tx_rate = 100,
                                 .mtu = 4200,
                                 .type = "softRoce"}));
  EXPECT_EQ(conf.ipam, R"({"type":"static", "addresses":[]})");
}

TEST(NetConf, absent_nad_fields_stay_absent) {
  EXPECT_EQ(parsed(nad()).nad, NadFields{.device_id = "0000:3b:00.2"});
}

TEST(NetConf, device_id_may_come_in_the_ways_of_multus) {
  const auto device = [](const std::string& keys) {
    const auto conf = parsed(document(keys));
    return conf.nad ? conf.nad->device_id : std::string();
  };
  EXPECT_EQ(device(R"("deviceID":"d","pciBusID":"d")"), "d");
  EXPECT_EQ(device(R"("pciBusID":"d")"), "d");
  EXPECT_EQ(device(R"("runtimeConfig":{"deviceID":"d"})"), "d");
  EXPECT_EQ(problem(document(R"("deviceID":"d","pciBusID":"e")")),
            "$.pciBusID: is another device than deviceID");
}

TEST(NetConf, mac_of_the_runtime_wins) {
  const auto conf =
      parsed(nad(R"("mac":"02:00:00:00:00:01","runtimeConfig":{"mac":"02:00:00:00:00:02"})"));
  EXPECT_EQ(conf.nad->mac->to_string(), "02:00:00:00:00:02");
}

TEST(NetConf, annotations_come_with_the_capability) {
  const auto conf = parsed(chained(R"("capabilities":{"io.kubernetes.cri.pod-annotations":true},
      "runtimeConfig":{"io.kubernetes.cri.pod-annotations":{"rocelane.io/network":"n2"}})"));
  EXPECT_THAT(conf.pod_annotations, ElementsAre(Pair("rocelane.io/network", "n2")));
}

TEST(NetConf, keys_of_runtimes_are_accepted) {
  EXPECT_EQ(parsed(chained(R"("capabilities":{},"args":{"cni":{}},"dns":{},"ipam":{},
      "disableCheck":true,"cniVersions":["1.0.0"],"cni.dev/attachments":[],"a.b/c":1,
      "runtimeConfig":{"portMappings":[]})"))
                .ipam,
            "");
}

TEST(NetConf, del_needs_neither_device_nor_result) {
  EXPECT_EQ(parsed(document("", "0.3.1"), Command::kDel).mode, Mode::kChained);
  EXPECT_EQ(parsed(nad(), Command::kDel).mode, Mode::kNad);
}

TEST(NetConf, gc_lists_the_attachments_that_live) {
  const auto conf =
      parsed(document(R"("cni.dev/valid-attachments":[{"containerID":"c","ifname":"eth0","x":1}])",
                      "1.1.0"),
             Command::kGc);
  EXPECT_THAT(conf.valid_attachments, ElementsAre(Pair("c", "eth0")));
  const std::string none = document(R"("cni.dev/valid-attachments":null)", "1.1.0");
  EXPECT_THAT(parsed(none, Command::kGc).valid_attachments, IsEmpty());
}

TEST(NetConf, gc_without_a_list_is_no_empty_list) {
  const auto outcome = parse_net_conf(document("", "1.1.0"), Command::kGc);
  EXPECT_FALSE(outcome.conf.has_value());
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->code, ErrorCode::kInvalidConfig);
}

TEST(NetConf, spoilt_configuration_does_not_stop_del) {
  const auto outcome = parse_net_conf(nad(R"("vlan":"x","stateDir":"/s")"), Command::kDel);
  ASSERT_TRUE(outcome.error.has_value());
  ASSERT_TRUE(outcome.conf.has_value());
  EXPECT_EQ(outcome.conf->places.state_dir, "/s");
  EXPECT_FALSE(parse_net_conf(nad(R"("vlan":"x")"), Command::kAdd).conf.has_value());
}

TEST(NetConf, version_command_judges_nothing) {
  EXPECT_EQ(parsed(R"({"cniVersion":"9.9.9"})", Command::kVersion).cni_version, "9.9.9");
  EXPECT_EQ(parsed("", Command::kVersion).cni_version, "");
}

TEST(NetConf, version_is_checked_first) {
  for (const auto* version : {"0.2.0", "2.0.0", ""}) {
    EXPECT_EQ(refused(document("\"nonsense\":1", version)).code, ErrorCode::kIncompatibleVersion);
  }
  EXPECT_EQ(refused(R"({"name":"n"})").code, ErrorCode::kIncompatibleVersion);
  EXPECT_EQ(refused(document("", "0.3.1"), Command::kCheck).code, ErrorCode::kIncompatibleVersion);
  EXPECT_EQ(refused(document("", "1.0.0"), Command::kGc).code, ErrorCode::kIncompatibleVersion);
  EXPECT_EQ(refused(document("", "1.0.0"), Command::kStatus).code, ErrorCode::kIncompatibleVersion);
}

TEST(NetConf, what_is_no_json_object_is_a_decode_error) {
  for (const auto* text : {"", "x", "[]", "null", "{\"cniVersion\":\"1.0.0\""}) {
    EXPECT_EQ(refused(text).code, ErrorCode::kDecode) << text;
  }
}

struct Mistake {
  std::string text;
  std::string problem;
};
class NetConfMistake : public testing::TestWithParam<Mistake> {};

TEST_P(NetConfMistake, is_named_with_its_path) {
  EXPECT_EQ(problem(GetParam().text), GetParam().problem);
}

INSTANTIATE_TEST_SUITE_P(
    NetConf, NetConfMistake,
    testing::Values(
        Mistake{document(""),
                "$.prevResult: is missing, and so is deviceID: chain this plugin behind the "
                "primary one, or name a device"},
        Mistake{R"({"cniVersion":"1.0.0","deviceID":"d"})",
                "$.name: is missing\n$.type: is missing"},
        Mistake{R"({"cniVersion":"1.0.0","deviceID":"d","name":"-","type":"t"})",
                "$.name: must begin with a letter or digit and have only those, '.', '_' and "
                "'-', is \"-\""},
        Mistake{chained(R"("statedir":"/x")"), "$.statedir: unknown key (did you mean stateDir?)"},
        Mistake{chained(R"("stateDir":"x")"), "$.stateDir: must be an absolute path, is \"x\""},
        Mistake{chained(R"("vlan":100)"), "$.vlan: has no effect without deviceID"},
        Mistake{chained(R"("logLevel":"loud")"),
                "$.logLevel: log level \"loud\" (want debug, info, warning, error or panic)"},
        Mistake{chained(R"("name":"m")"), "$.name: is given twice"},
        Mistake{document(R"("prevResult":[])"), "$.prevResult: must be an object"},
        Mistake{nad(R"("vlan":4095)"), "$.vlan: must be 0-4094, is 4095"},
        Mistake{nad(R"("vlan":"100")"), "$.vlan: must be a whole number, is a string"},
        Mistake{nad(R"("vlanQoS":3)"), "$.vlanQoS: needs a vlan other than 0"},
        Mistake{nad(R"("vlan":0,"vlanQoS":3)"), "$.vlanQoS: needs a vlan other than 0"},
        Mistake{nad(R"("vlanProto":"802.1ad")"), "$.vlanProto: needs a vlan other than 0"},
        Mistake{nad(R"("min_tx_rate":10,"max_tx_rate":5)"),
                "$.min_tx_rate: is larger than max_tx_rate"},
        Mistake{nad(R"("mac":"x")"), "$.mac: \"x\" is not a MAC address (want 02:00:5e:10:00:01)"},
        Mistake{nad(R"("mtu":10)"), "$.mtu: must be 68-65535, is 10"},
        Mistake{nad(R"("linkState":"auto")"),
                "$.linkState: unknown key (did you mean link_state?)"},
        Mistake{nad(R"("ipam":{"subnet":"x"})"), "$.ipam.type: is missing"},
        Mistake{nad(R"("ipam":"x")"), "$.ipam: must be an object, is a string"},
        Mistake{nad(R"("runtimeConfig":3)"), "$.runtimeConfig: must be an object, is a number"}));

TEST(NetConf, cut_anywhere_is_a_decode_error) {
  const auto text = chained(R"("ipam":{"type":"static"})");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(refused(text.substr(0, size)).code, ErrorCode::kDecode) << size;
  }
}

TEST(NetConf, any_changed_byte_is_survived) {
  const auto good = nad(R"("vlan":1,"prevResult":{"a":[1,"\\"]},"ipam":{"type":"x"})");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char c : {'\0', '"', '}', '[', '\\', '9', '\xff'}) {
      auto text = good;
      text[at] = c;
      const auto outcome = parse_net_conf(text, Command::kAdd);
      EXPECT_NE(outcome.conf.has_value(), outcome.error.has_value());
    }
  }
}

TEST(DelegateConf, has_what_a_delegate_reads_and_no_more) {
  const auto conf = parsed(chained(R"("args":{"cni":{"ips":["10.0.0.9"]}},"stateDir":"/s",
      "runtimeConfig":{"ips":["10.0.0.9/24"],"io.kubernetes.cri.pod-annotations":{"a":"b"}})"));
  EXPECT_EQ(encode_delegate_conf(conf, R"({"type":"host-local","ranges":[]})"),
            R"({"args":{"cni":{"ips":["10.0.0.9"]}},"cniVersion":"1.0.0",)"
            R"("ipam":{"ranges":[],"type":"host-local"},"name":"n",)"
            R"("runtimeConfig":{"ips":["10.0.0.9/24"]},"type":"roce-cni"})");
}

}  // namespace
}  // namespace rocelane::cni
