// SPDX-License-Identifier: Apache-2.0
#include "lib/config/config.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/file.h"
#include "lib/config/readers.h"
#include "lib/json/suggestion.h"

namespace rocelane::config {

namespace {

template <typename T>
bool allows(const std::vector<T>& wanted, const T& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

bool allows_pf(const std::vector<PfSelector>& wanted, std::string_view pf,
               std::optional<std::uint32_t> vf) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const PfSelector& one) {
           return vf ? one.matches(pf, *vf) : one.name == pf && one.vfs.empty();
         });
}

// Entries of different nodes may share a name: rendering keeps one of them.
bool may_meet(const std::map<std::string, std::string>& a,
              const std::map<std::string, std::string>& b) {
  return a.empty() || b.empty() || a == b;
}

void check_unknown_network(const Config& config, const Pool& pool, const std::string& path,
                           json::Problems& problems) {
  if (pool.network.empty() || config.find_network(pool.network) != nullptr) {
    return;
  }
  std::vector<std::string_view> names;
  for (const auto& network : config.networks) {
    names.emplace_back(network.name);
  }
  const auto similar = json::find_similar(pool.network, names);
  problems.add(path + ".network",
               fmt::format("there is no network \"{}\"{}", pool.network,
                           similar ? fmt::format(" (did you mean {}?)", *similar) : ""));
}

void check_pools(const Config& config, json::Problems& problems) {
  for (std::size_t i = 0; i < config.pools.size(); ++i) {
    const auto& pool = config.pools[i];
    const auto path = json::item_path("$.resourceList", i);
    check_unknown_network(config, pool, path, problems);
    if (pool.attach == Attach::kChained && pool.network.empty()) {
      problems.add(path + ".attach", "\"chained\" needs a network");
    }
    const auto twin =
        std::find_if(config.pools.begin(), config.pools.begin() + static_cast<std::ptrdiff_t>(i),
                     [&](const Pool& other) {
                       return !pool.name.empty() && other.resource() == pool.resource() &&
                              may_meet(other.node_selector, pool.node_selector);
                     });
    if (twin != config.pools.begin() + static_cast<std::ptrdiff_t>(i)) {
      problems.add(path + ".resourceName",
                   fmt::format("{} is already the name of $.resourceList[{}]", pool.resource(),
                               twin - config.pools.begin()));
    }
  }
}

void check_networks(const Config& config, json::Problems& problems) {
  for (std::size_t i = 0; i < config.networks.size(); ++i) {
    const auto& network = config.networks[i];
    const Network* first = config.find_network(network.name);
    if (!network.name.empty() && first != &network) {
      problems.add(json::item_path("$.networks", i) + ".name",
                   fmt::format("\"{}\" is already the name of $.networks[{}]", network.name,
                               first - config.networks.data()));
    }
  }
}

void check_ports(const Config& config, json::Problems& problems) {
  for (std::size_t i = 0; i < config.ports.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto& port = config.ports[i];
      const auto& other = config.ports[j];
      for (const auto& pf : port.pf_names) {
        if (!other.pf_names.empty() && allows(other.pf_names, pf) &&
            may_meet(port.node_selector, other.node_selector)) {
          problems.add(json::item_path("$.fabric.ports", i) + ".pfNames",
                       fmt::format("{} is also in $.fabric.ports[{}]", pf, j));
        }
      }
    }
  }
}

Config read_document(const json::Value& root) {
  Config config;
  json::Object object(root);
  if (const auto pools = object.find("resourceList")) {
    for (const auto& item : pools->items()) {
      config.pools.push_back(read_pool(item));
    }
  }
  if (const auto networks = object.find("networks")) {
    for (const auto& item : networks->items()) {
      config.networks.push_back(read_network(item));
    }
  }
  if (const auto fabric = object.find("fabric")) {
    read_fabric(*fabric, config);
  }
  if (const auto memlock = object.find("memlock")) {
    config.memlock = read_memlock(*memlock);
  }
  if (const auto probes = object.find("probes")) {
    config.probes = read_probes(*probes);
  }
  return config;
}

}  // namespace

std::string_view to_string(PoolType type) {
  switch (type) {
    case PoolType::kSriov:
      return "sriov";
    case PoolType::kSoftRoce:
      return "softRoce";
    case PoolType::kShared:
      return "shared";
  }
  return "unknown";
}

std::string_view to_string(Attach attach) {
  return attach == Attach::kChained ? "chained" : "multus";
}

bool PfSelector::matches(std::string_view pf, std::uint32_t vf) const {
  return pf == name && (vfs.empty() || std::binary_search(vfs.begin(), vfs.end(), vf));
}

bool Selector::matches(const Candidate& candidate) const {
  return allows_pf(pf_names, candidate.pf_name, candidate.vf_index) &&
         allows_pf(root_devices, candidate.pf_address, candidate.vf_index) &&
         allows(drivers, candidate.driver) && allows(vendors, candidate.vendor) &&
         allows(devices, candidate.device) && allows(pci_addresses, candidate.pci_address) &&
         allows(acpi_indexes, candidate.acpi_index) &&
         is_rdma.value_or(candidate.is_rdma) == candidate.is_rdma;
}

bool Pool::selects(const Candidate& candidate) const {
  return selectors.empty() ||
         std::any_of(selectors.begin(), selectors.end(),
                     [&](const Selector& one) { return one.matches(candidate); });
}

const Network* Config::find_network(std::string_view name) const {
  const auto found = std::find_if(networks.begin(), networks.end(),
                                  [&](const Network& network) { return network.name == name; });
  return found == networks.end() ? nullptr : &*found;
}

const Pool* Config::find_pool(std::string_view resource) const {
  const auto found = std::find_if(pools.begin(), pools.end(),
                                  [&](const Pool& pool) { return pool.resource() == resource; });
  return found == pools.end() ? nullptr : &*found;
}

Result<Config> parse_config(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto document, json::Document::parse(text));
  json::Problems problems;
  json::report_duplicates(document, problems);
  Config config = read_document(json::Value(document.value(), "$", problems));
  check_networks(config, problems);
  check_pools(config, problems);
  check_ports(config, problems);
  ROCELANE_RETURN_IF_ERROR(problems.to_result());
  return config;
}

Result<Config> load_config(const std::string& path) {
  ROCELANE_ASSIGN_OR_RETURN(const auto text, read_file(path));
  return parse_config(text).with_context(path);
}

}  // namespace rocelane::config
