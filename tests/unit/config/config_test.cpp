// SPDX-License-Identifier: Apache-2.0
#include "lib/config/config.h"

#include <fstream>

#include "tests/support/result_matchers.h"
#include "tests/support/sample_config.h"
#include "tests/support/temp_dir.h"

namespace rocelane::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Config parsed(std::string_view text) {
  auto config = parse_config(text);
  EXPECT_OK(config);
  return config.ok() ? std::move(*config) : Config{};
}

TEST(Config, empty_document_is_the_default_configuration) {
  const auto config = parsed("{}");
  EXPECT_EQ(config, Config{});
  EXPECT_EQ(config.probes.interval, std::chrono::milliseconds(500));
  EXPECT_FALSE(config.memlock.limit_bytes.has_value());
}

TEST(Config, reads_every_key_of_a_pool) {
  const auto config = parsed(test::kSampleConfig);
  ASSERT_EQ(config.pools.size(), 3U);
  const auto& pool = config.pools[0];
  EXPECT_EQ(pool.resource(), "rdma/roce");
  EXPECT_EQ(pool.type, PoolType::kSriov);
  EXPECT_EQ(pool.attach, Attach::kChained);
  EXPECT_EQ(pool.network, "train");
  EXPECT_EQ(pool.rail, 1U);
  EXPECT_TRUE(pool.exclude_topology);
  EXPECT_EQ(pool.additional_info.at("0000:86:00.1").at("token"), "y");
  EXPECT_EQ(pool.node_selector.at("gpu"), "h100");
  ASSERT_EQ(pool.selectors.size(), 1U);
  const Selector expected{.pf_names = {{.name = "ens1f0", .vfs = {0, 1, 2, 3, 7}}},
                          .root_devices = {{.name = "0000:86:00.0", .vfs = {0, 1}}},
                          .drivers = {"mlx5_core"},
                          .vendors = {"15b3"},
                          .devices = {"101e"},
                          .pci_addresses = {"0000:03:02.0"},
                          .acpi_indexes = {"101"},
                          .is_rdma = true,
                          .need_vhost_net = false};
  EXPECT_EQ(pool.selectors[0], expected);
}

TEST(Config, selectors_may_be_one_object) {
  const auto config = parsed(test::kSampleConfig);
  ASSERT_EQ(config.pools[1].selectors.size(), 1U);
  EXPECT_THAT(config.pools[1].selectors[0].drivers, ElementsAre("igbvf"));
  EXPECT_THAT(config.pools[2].selectors, IsEmpty());
}

TEST(Config, pool_without_network_is_left_to_multus) {
  const auto config = parsed(R"({"networks":[{"name":"n"}],"resourceList":[
      {"resourceName":"a"},{"resourceName":"b","network":"n"},
      {"resourceName":"c","network":"n","attach":"multus"}]})");
  EXPECT_EQ(config.pools[0].attach, Attach::kMultus);
  EXPECT_EQ(config.pools[1].attach, Attach::kChained);
  EXPECT_EQ(config.pools[2].attach, Attach::kMultus);
}

TEST(Config, reads_every_key_of_a_network) {
  const auto config = parsed(test::kSampleConfig);
  const auto* network = config.find_network("train");
  ASSERT_NE(network, nullptr);
  EXPECT_EQ(network->vlan, 100);
  EXPECT_EQ(network->vlan_qos, 3);
  EXPECT_EQ(network->mtu, 4200U);
  EXPECT_EQ(network->traffic_class, 106);
  EXPECT_EQ(network->interface, "roce");
  EXPECT_EQ(network->spoofchk, true);
  EXPECT_EQ(network->trust, false);
  EXPECT_EQ(network->vrf, (Vrf{.mode = VrfMode::kTable, .table = 100}));
  EXPECT_THAT(network->namespaces, ElementsAre("default", "*"));
  EXPECT_EQ(config.find_network("nope"), nullptr);
}

TEST(Config, absent_network_keys_mean_vlan_zero_and_left_alone) {
  const auto config = parsed(R"({"networks":[{"name":"n"}]})");
  EXPECT_EQ(config.networks[0], Network{.name = "n"});
  EXPECT_EQ(config.networks[0].vlan, 0);
  EXPECT_FALSE(config.networks[0].spoofchk.has_value());
}

TEST(Config, host_local_gets_the_form_it_understands) {
  const auto config = parsed(test::kSampleConfig);
  EXPECT_EQ(
      config.networks[0].ipam->raw,
      R"({"dataDir":"/var/lib/rocelane/ipam/train","ranges":[[{"gateway":"10.56.0.1",)"
      R"("rangeEnd":"10.56.255.250","rangeStart":"10.56.0.10","subnet":"10.56.0.0/16"}]],)"
      R"("routes":[{"dst":"10.57.0.0/16","gw":"10.56.0.1","mtu":1500}],"type":"host-local"})");
}

TEST(Config, block_has_sixteen_addresses_unless_given) {
  const auto config = parsed(test::kSampleConfig);
  EXPECT_EQ(config.networks[0].ipam->block_size, 28);
  EXPECT_EQ(config.networks[1].ipam->block_size, 124);
}

TEST(Config, other_ipam_plugins_get_their_keys_verbatim) {
  const auto config = parsed(test::kSampleConfig);
  EXPECT_FALSE(config.networks[2].ipam->range.has_value());
  EXPECT_EQ(config.networks[2].ipam->raw,
            R"({"log_level":"debug","range":"10.9.0.0/24","type":"whereabouts"})");
}

TEST(Config, host_local_in_its_own_form_stays_as_written) {
  const auto config = parsed(R"({"networks":[{"name":"n","ipam":
      {"type":"host-local","ranges":[[{"subnet":"10.1.0.0/24"}],[{"subnet":"fd00::/64"}]]}}]})");
  EXPECT_FALSE(config.networks[0].ipam->range.has_value());
  EXPECT_EQ(config.networks[0].ipam->raw,
            R"({"ranges":[[{"subnet":"10.1.0.0/24"}],[{"subnet":"fd00::/64"}]],)"
            R"("type":"host-local"})");
}

TEST(Config, reads_fabric_memlock_and_probes) {
  const auto config = parsed(test::kSampleConfig);
  ASSERT_EQ(config.ports.size(), 1U);
  EXPECT_EQ(config.ports[0], (Port{.pf_names = {"ens1f0"},
                                   .num_vfs = 8,
                                   .mtu = 4200,
                                   .profile = "lossless-dcqcn",
                                   .node_selector = {{"gpu", "h100"}}}));
  EXPECT_EQ(config.profiles.at("mine"), R"({"pfc":[3]})");
  EXPECT_EQ(config.memlock.limit_bytes, 64U << 20U);
  EXPECT_EQ(config.probes.peers, 8U);
}

TEST(Config, memlock_limit_has_three_forms) {
  const auto limit = [](std::string_view value) {
    return parsed(R"({"memlock":{"limit":)" + std::string(value) + "}}").memlock.limit_bytes;
  };
  EXPECT_FALSE(limit(R"("unlimited")").has_value());
  EXPECT_EQ(limit("65536"), 65536U);
  EXPECT_EQ(limit(R"("65536")"), 65536U);
  EXPECT_EQ(limit(R"("8Gi")"), std::uint64_t{8} << 30U);
  EXPECT_EQ(limit(R"("8G")"), 8'000'000'000U);
}

TEST(Config, same_resource_name_is_fine_on_different_nodes) {
  EXPECT_OK(parse_config(R"({"resourceList":[
      {"resourceName":"roce","nodeSelector":{"nic":"mlx5"}},
      {"resourceName":"roce","nodeSelector":{"nic":"ice"}}]})"));
}

TEST(Config, load_names_the_file) {
  const test::TempDir dir;
  EXPECT_ERROR(load_config(dir / "absent.json"), Code::kNotFound);
  std::ofstream(dir / "bad.json") << R"({"memlok":{}})";
  const auto config = load_config(dir / "bad.json");
  EXPECT_ERROR(config, Code::kInvalidInput);
  EXPECT_THAT(config.error().message, HasSubstr(dir / "bad.json"));
  EXPECT_THAT(config.error().message, HasSubstr("$.memlok: unknown key (did you mean memlock?)"));
}

TEST(PfSelector, without_indices_means_all_vfs) {
  EXPECT_TRUE((PfSelector{.name = "p0"}).matches("p0", 42));
  EXPECT_FALSE((PfSelector{.name = "p0"}).matches("p1", 0));
  const PfSelector some{.name = "p0", .vfs = {0, 3}};
  EXPECT_TRUE(some.matches("p0", 3));
  EXPECT_FALSE(some.matches("p0", 1));
}

TEST(Selector, every_given_key_must_match) {
  const Candidate vf{.pf_name = "p0",
                     .pf_address = "0000:86:00.0",
                     .vf_index = 1,
                     .driver = "mlx5_core",
                     .vendor = "15b3",
                     .device = "101e",
                     .pci_address = "0000:86:00.3",
                     .acpi_index = "7",
                     .is_rdma = true};
  EXPECT_TRUE(Selector{}.matches(vf));
  EXPECT_TRUE((Selector{.pf_names = {{.name = "p0", .vfs = {1}}}, .is_rdma = true}).matches(vf));
  EXPECT_FALSE((Selector{.pf_names = {{.name = "p0", .vfs = {0}}}}).matches(vf));
  EXPECT_FALSE((Selector{.root_devices = {{.name = "0000:86:00.1"}}}).matches(vf));
  EXPECT_FALSE((Selector{.drivers = {"ice"}}).matches(vf));
  EXPECT_FALSE((Selector{.vendors = {"8086"}}).matches(vf));
  EXPECT_FALSE((Selector{.devices = {"101f"}}).matches(vf));
  EXPECT_FALSE((Selector{.pci_addresses = {"0000:86:00.4"}}).matches(vf));
  EXPECT_FALSE((Selector{.acpi_indexes = {"8"}}).matches(vf));
  EXPECT_FALSE((Selector{.is_rdma = false}).matches(vf));
}

TEST(Pool, selects_what_any_selector_matches) {
  const Candidate vf{.driver = "ice"};
  EXPECT_TRUE(Pool{}.selects(vf));
  EXPECT_TRUE((Pool{.selectors = {{.drivers = {"mlx5_core"}}, {.drivers = {"ice"}}}}).selects(vf));
  EXPECT_FALSE((Pool{.selectors = {{.drivers = {"mlx5_core"}}}}).selects(vf));
}

}  // namespace
}  // namespace rocelane::config
