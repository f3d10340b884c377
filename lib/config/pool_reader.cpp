// SPDX-License-Identifier: Apache-2.0
// resourceList: the language of sriov-network-device-plugin, and the keys that are ours.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lib/base/pci_address.h"
#include "lib/config/readers.h"

namespace rocelane::config {

namespace {

constexpr std::size_t kMaxName = 63;           // label part of a Kubernetes qualified name
constexpr std::size_t kMaxInterfaceName = 15;  // IFNAMSIZ (linux/if.h) less the final zero
constexpr std::uint32_t kMaxVfIndex = 65535;   // NumVFs is a 16-bit register (PCIe SR-IOV)
constexpr std::size_t kPciIdDigits = 4;

Error bad(std::string message) { return Error::make(Code::kInvalidInput, std::move(message)); }

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool all_of(std::string_view text, int (*kind)(int), std::string_view extra) {
  return std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return c < 0x80 && (kind(c) != 0 || extra.find(static_cast<char>(c)) != std::string_view::npos);
  });
}

// Kubernetes: the prefix of an extended resource is a DNS name.
Result<std::string> parse_prefix(std::string_view text) {
  const bool edges = !text.empty() && std::isalnum(static_cast<unsigned char>(text.front())) != 0 &&
                     std::isalnum(static_cast<unsigned char>(text.back())) != 0;
  if (!edges || text.size() > 253 || !all_of(text, std::isalnum, "-.") ||
      lower(std::string(text)) != text) {
    return bad(fmt::format("must be a lower-case DNS name, is \"{}\"", text));
  }
  return std::string(text);
}

Result<std::uint32_t> parse_vf_index(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || status != std::errc{} || end != text.data() + text.size() ||
      number > kMaxVfIndex) {
    return bad(fmt::format("\"{}\" is not a VF index (0-{})", text, kMaxVfIndex));
  }
  return number;
}

// "3" or "0-3".
Result<void> add_vf_range(std::string_view text, std::vector<std::uint32_t>& vfs) {
  const auto dash = text.find('-');
  ROCELANE_ASSIGN_OR_RETURN(const auto first, parse_vf_index(text.substr(0, dash)));
  auto last = first;
  if (dash != std::string_view::npos) {
    ROCELANE_ASSIGN_OR_RETURN(last, parse_vf_index(text.substr(dash + 1)));
  }
  if (last < first) {
    return bad(fmt::format("range \"{}\" runs backwards", text));
  }
  for (auto vf = first; vf <= last; ++vf) {
    vfs.push_back(vf);
  }
  return {};
}

Result<PfSelector> split_pf_selector(std::string_view text) {
  const auto hash = text.find('#');
  PfSelector selector{.name = std::string(text.substr(0, hash)), .vfs = {}};
  while (hash != std::string_view::npos) {
    auto rest = text.substr(hash + 1);
    for (auto comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
      ROCELANE_RETURN_IF_ERROR(add_vf_range(rest.substr(0, comma), selector.vfs));
      rest.remove_prefix(comma + 1);
    }
    ROCELANE_RETURN_IF_ERROR(add_vf_range(rest, selector.vfs));
    break;
  }
  std::sort(selector.vfs.begin(), selector.vfs.end());
  selector.vfs.erase(std::unique(selector.vfs.begin(), selector.vfs.end()), selector.vfs.end());
  return selector;
}

Result<PfSelector> parse_pf_name(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(auto selector, split_pf_selector(text));
  ROCELANE_RETURN_IF_ERROR(parse_interface_name(selector.name));
  return selector;
}

Result<std::string> parse_pci(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(const auto address, PciAddress::parse(text));
  return address.to_string();
}

Result<PfSelector> parse_root_device(std::string_view text) {
  ROCELANE_ASSIGN_OR_RETURN(auto selector, split_pf_selector(text));
  ROCELANE_ASSIGN_OR_RETURN(selector.name, parse_pci(selector.name));
  return selector;
}

Result<std::string> parse_pci_id(std::string_view text) {
  if (text.size() != kPciIdDigits || !all_of(text, std::isxdigit, "")) {
    return bad(fmt::format(R"(must be four hex digits as in "15b3", is "{}")", text));
  }
  return lower(std::string(text));
}

Result<std::string> parse_word(std::string_view text) {
  if (text.empty() || !all_of(text, std::isalnum, "_.-")) {
    return bad(fmt::format("must be a word, is \"{}\"", text));
  }
  return std::string(text);
}

Result<std::string> parse_link_type(std::string_view text) {
  if (text == "ether" || text == "ethernet") {
    return std::string(text);
  }
  return bad(
      fmt::format(R"(only "ether" is possible (RoCE is RDMA over Ethernet), is "{}")", text));
}

template <typename T, typename Parse>
void read_list(json::Object& object, std::string_view key, std::vector<T>& into, Parse parse) {
  const auto list = object.find(key);
  if (!list) {
    return;
  }
  for (const auto& item : list->items()) {
    const auto text = item.text();
    if (!text) {
      continue;
    }
    auto parsed = parse(std::string_view(*text));
    if (parsed.ok()) {
      into.push_back(std::move(*parsed));
    } else {
      item.problem(parsed.error().message);
    }
  }
}

// Keys that would change which devices are selected, and that nothing here can evaluate.
void refuse_other_kinds(json::Object& object) {
  std::string vdpa;
  if (object.read("vdpaType", vdpa) && !vdpa.empty()) {
    object.problem("vdpaType", "vDPA devices are not supported: they carry no RDMA");
  }
  std::vector<std::string> keys;
  if (object.read("pKeys", keys) && !keys.empty()) {
    object.problem("pKeys", "partition keys are InfiniBand's; a RoCE network has a VLAN instead");
  }
}

Selector read_selector(const json::Value& value) {
  Selector selector;
  json::Object object(value);
  read_list(object, "pfNames", selector.pf_names, parse_pf_name);
  read_list(object, "rootDevices", selector.root_devices, parse_root_device);
  read_list(object, "drivers", selector.drivers, parse_word);
  read_list(object, "vendors", selector.vendors, parse_pci_id);
  read_list(object, "devices", selector.devices, parse_pci_id);
  read_list(object, "pciAddresses", selector.pci_addresses, parse_pci);
  read_list(object, "acpiIndexes", selector.acpi_indexes, parse_word);
  std::vector<std::string> link_types;
  read_list(object, "linkTypes", link_types, parse_link_type);
  object.read("isRdma", selector.is_rdma);
  object.read("needVhostNet", selector.need_vhost_net);
  refuse_other_kinds(object);
  return selector;
}

void read_selectors(json::Object& object, std::vector<Selector>& into) {
  const auto selectors = object.find("selectors");
  if (!selectors) {
    return;
  }
  if (selectors->is_object()) {
    into.push_back(read_selector(*selectors));
    return;
  }
  for (const auto& item : selectors->items()) {
    into.push_back(read_selector(item));
  }
}

void read_additional_info(json::Object& object, Pool& pool) {
  const auto info = object.find("additionalInfo");
  if (!info) {
    return;
  }
  for (const auto& [device, values] : info->members()) {
    if (device != "*" && !PciAddress::parse(device).ok()) {
      values.problem("must be a PCI address or \"*\"");
    }
    pool.additional_info.emplace(device, values.text_map());
  }
}

void read_device_type(json::Object& object) {
  std::string type;
  if (object.read("deviceType", type) && type != "netDevice") {
    object.problem("deviceType", fmt::format(R"(only "netDevice" is supported, is "{}")", type));
  }
}

}  // namespace

Result<std::string> parse_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxName || !all_of(text, std::isalnum, "_-")) {
    return bad(fmt::format("must be 1-{} letters, digits, _ and -, is \"{}\"", kMaxName, text));
  }
  return std::string(text);
}

// dev_valid_name() in net/core/dev.c, less '%', which the kernel expands when a device is named.
Result<std::string> parse_interface_name(std::string_view text) {
  const bool bad_bytes = std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return c <= ' ' || c >= 0x7f || c == '/' || c == ':' || c == '%' || c == '"' || c == '\\';
  });
  if (text.empty() || text == "." || text == ".." || text.size() > kMaxInterfaceName || bad_bytes) {
    return bad(fmt::format("\"{}\" is no name of a network interface (1-{} characters)", text,
                           kMaxInterfaceName));
  }
  return std::string(text);
}

Pool read_pool(const json::Value& value) {
  Pool pool;
  json::Object object(value);
  if (object.require("resourceName")) {
    object.parse("resourceName", pool.name, parse_name);
  }
  object.parse("resourcePrefix", pool.prefix, parse_prefix);
  object.choose<PoolType>("type", pool.type,
                          {{"sriov", PoolType::kSriov},
                           {"softRoce", PoolType::kSoftRoce},
                           {"shared", PoolType::kShared}});
  object.parse("network", pool.network, parse_name);
  pool.attach = pool.network.empty() ? Attach::kMultus : Attach::kChained;
  object.choose<Attach>("attach", pool.attach,
                        {{"chained", Attach::kChained}, {"multus", Attach::kMultus}});
  read_selectors(object, pool.selectors);
  object.read("excludeTopology", pool.exclude_topology);
  object.read("rail", pool.rail, 0U, 255U);
  object.read("nodeSelector", pool.node_selector);
  read_device_type(object);
  read_additional_info(object, pool);
  return pool;
}

}  // namespace rocelane::config
