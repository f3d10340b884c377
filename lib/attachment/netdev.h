// SPDX-License-Identifier: Apache-2.0
// The netdev of a device on its way: where it is now, into the pod's netns, back home. A VF is
// always looked for by its PCI address, never by a name somebody may have changed.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/netlink/link.h"
#include "lib/netns/netns.h"
#include "lib/state/record.h"

namespace rocelane::attachment {

// How long the kernel may need to bring a physical device back from a netns that was torn down
// (cleanup_net runs asynchronously and waits for RDMA references).
inline constexpr std::chrono::milliseconds kComeHomeLimit{10'000};

// A netlink socket that belongs to `ns`.
Result<netlink::Socket> open_socket_in(const netns::NetNs& ns, netlink::Family family);

// The netdev of this PCI function in the netns `ns`; nullopt: not there.
Result<std::optional<netlink::Link>> find_netdev(const netns::NetNs& ns,
                                                 const std::string& device_id);

// The namespace a record names, if it still exists: by its path, else by any process in it (a
// sandbox whose bind mount is gone but whose processes live). Never a namespace of another
// identity.
Result<std::optional<netns::NetNs>> find_recorded_netns(const state::NetnsRef& recorded,
                                                        const std::string& proc_root);

struct NetdevShape {
  std::string name;
  std::optional<MacAddress> mac;
  std::optional<std::uint32_t> mtu;
  std::vector<std::string> alt_names;  // on arrival; all others are dropped
};

// Moves `link` from one netns to another and gives it its shape in a third, nameless one between
// them: there no other name can collide and no udev renames it. A process that dies on the way
// loses its hold on that namespace, and the kernel brings the device back to the initial one.
// Returns the link as it is in `to`, administratively down.
Result<netlink::Link> move_netdev(const netns::NetNs& from, const netns::NetNs& to,
                                  const netlink::Link& link, const std::string& device_id,
                                  const NetdevShape& shape);

}  // namespace rocelane::attachment
