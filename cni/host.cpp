// SPDX-License-Identifier: Apache-2.0
#include "cni/host.h"

#include <utility>

namespace rocelane::cni_plugin {

Result<attachment::Host> open_host(const cni::Call& call, const cni::NetConf& conf) {
  ROCELANE_ASSIGN_OR_RETURN(auto store, state::Store::open(conf.places.state_dir));
  return attachment::Host{.store = std::move(store),
                          .sysfs_root = conf.places.sysfs_root,
                          .proc_root = conf.places.proc_root,
                          .cdi_dir = conf.places.cdi_dir,
                          .oci_hook = conf.places.oci_hook,
                          .cni_path = call.path};
}

}  // namespace rocelane::cni_plugin
