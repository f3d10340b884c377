// SPDX-License-Identifier: Apache-2.0
#include "tests/process/cni/host_snapshot.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "lib/netlink/link.h"
#include "lib/netlink/rdma.h"
#include "tests/support/result_matchers.h"

namespace rocelane::test {

namespace {

using netlink::Socket;

std::string describe(const netlink::VfInfo& vf) {
  return fmt::format("vf {} mac {} vlan {} qos {} spoofchk {} trust {} rate {}", vf.vf,
                     vf.mac ? vf.mac->to_string() : "-", vf.vlan, vf.qos,
                     vf.spoofchk.value_or(false), vf.trust.value_or(false),
                     vf.max_tx_rate.value_or(0));
}

void add_links(std::vector<std::string>& lines) {
  auto socket = Socket::open(netlink::Family::kRoute);
  ASSERT_OK(socket);
  const auto links = netlink::dump_links(*socket, /*with_vfs=*/true);
  ASSERT_OK(links);
  for (const auto& link : *links) {
    if (link.parent_bus != "pci") {
      continue;
    }
    lines.push_back(fmt::format("{} {} mac {} mtu {} up {} altnames {}", link.parent_device,
                                link.name, link.mac.to_string(), link.mtu, link.up(),
                                fmt::join(link.alt_names, ",")));
    for (const auto& vf : link.vfs) {
      lines.push_back(link.name + " " + describe(vf));
    }
  }
}

void add_rdma_devices(std::vector<std::string>& lines) {
  auto socket = Socket::open(netlink::Family::kRdma);
  if (!socket.ok()) {
    return;
  }
  const auto devices = netlink::dump_rdma_devices(*socket);
  ASSERT_OK(devices);
  for (const auto& device : *devices) {
    lines.push_back("rdma " + device.name);
  }
}

}  // namespace

std::vector<std::string> host_snapshot(const std::vector<std::string>& directories) {
  std::vector<std::string> lines;
  add_links(lines);
  add_rdma_devices(lines);
  for (const auto& directory : directories) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory, ignored)) {
      if (entry.is_regular_file() && entry.path().extension() != ".lock") {
        lines.push_back("file " + entry.path().string());
      }
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace rocelane::test
