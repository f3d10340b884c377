// SPDX-License-Identifier: Apache-2.0
// PodSandbox: a network namespace with a path, as a runtime makes one for a pod.
#pragma once

#include <optional>
#include <string>

#include "lib/netlink/link.h"
#include "lib/netns/netns.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {

class PodSandbox {
 public:
  explicit PodSandbox(std::string container_id);
  PodSandbox(const PodSandbox&) = delete;
  PodSandbox& operator=(const PodSandbox&) = delete;
  ~PodSandbox();

  [[nodiscard]] const std::string& container_id() const { return container_id_; }
  [[nodiscard]] std::string path() const { return directory_ / "net"; }
  [[nodiscard]] const netns::NetNs& ns() const { return *ns_; }

  // As when the sandbox dies: nothing refers to the namespace any more.
  void destroy();

  [[nodiscard]] std::optional<netlink::Link> link(const std::string& name) const;
  void change_link(const std::string& name, const netlink::LinkChange& change) const;

 private:
  std::string container_id_;
  TempDir directory_;
  std::optional<netns::NetNs> ns_;
};

}  // namespace rocelane::test
