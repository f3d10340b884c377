// SPDX-License-Identifier: Apache-2.0
#include "node-agent/vf_change.h"

#include <set>
#include <vector>

#include "node-agent/vf_mac.h"

namespace rocelane::agent {

namespace {

std::string sysfs_path(const PciAddress& address) {
  return "bus/pci/devices/" + address.to_string();
}

Result<state::DeviceLock> lock_idle(const ChangeContext& context, const VfView& vf) {
  const auto& store = context.host.store;
  ROCELANE_ASSIGN_OR_RETURN(auto lock, store.lock_device(vf.device_id(), context.lock_limit));
  ROCELANE_ASSIGN_OR_RETURN(const auto record, store.find_by_device(vf.device_id()));
  if (vf.bound() && record && holds(*record, context.host)) {
    return Error::make(Code::kBusy, vf.device_id() + " has just been given to a pod");
  }
  return lock;
}

Result<void> unbind_locked(const ChangeContext& context, const VfView& vf) {
  if (!vf.bound()) {
    return {};
  }
  return context.host.sysfs
      .write(sysfs_path(vf.function.address) + "/driver/unbind", vf.device_id())
      .with_context("unbinding " + vf.device_id());
}

}  // namespace

// The kernel refuses a change from one number to another (EBUSY in pci_enable_sriov): through 0.
Result<void> set_vf_count(const ChangeContext& context, const PortView& view, std::uint32_t count) {
  std::vector<state::DeviceLock> locks;
  for (const auto& vf : view.vfs) {
    ROCELANE_ASSIGN_OR_RETURN(auto lock, lock_idle(context, vf));
    locks.push_back(std::move(lock));
  }
  const auto path = sysfs_path(view.function.address);
  ROCELANE_RETURN_IF_ERROR(context.host.sysfs.write(path + "/sriov_drivers_autoprobe", "0"));
  if (view.function.num_vfs != 0) {
    ROCELANE_RETURN_IF_ERROR(context.host.sysfs.write(path + "/sriov_numvfs", "0"));
  }
  if (count == 0) {
    return {};
  }
  return context.host.sysfs.write(path + "/sriov_numvfs", std::to_string(count));
}

std::optional<MacAddress> wanted_mac(const PortView& view, const VfView& vf, bool ours) {
  // Without a way to read it back nobody could tell whether it is right.
  if (!vf.admin_mac || (!ours && !vf.admin_mac->is_zero())) {
    return std::nullopt;
  }
  std::set<MacAddress> taken_by_vfs;
  std::set<MacAddress> taken_by_links;
  for (const auto& link : view.links) {
    if (!vf.netdev || link.index != vf.netdev->index) {
      taken_by_links.insert(link.mac);
    }
    for (const auto& info : link.vfs) {
      const bool same = link.index == view.pf.index && info.vf == vf.index;
      if (info.mac && !same) {
        taken_by_vfs.insert(*info.mac);
      }
    }
  }
  const VfIdentity identity{.pf_permanent_mac = view.pf.permanent_mac.value_or(view.pf.mac),
                            .pf = view.function.address,
                            .vf = vf.index};
  const auto mac = choose_vf_mac(identity, *vf.admin_mac, taken_by_vfs, taken_by_links);
  return mac == *vf.admin_mac ? std::nullopt : std::optional(mac);
}

Result<void> set_admin_mac(const ChangeContext& context, const PortView& view, const VfView& vf,
                           const MacAddress& mac) {
  ROCELANE_ASSIGN_OR_RETURN(const auto lock, lock_idle(context, vf));
  ROCELANE_RETURN_IF_ERROR(context.host.kernel.set_vf(view.pf.index, {.vf = vf.index, .mac = mac})
                               .with_context("setting the MAC of " + vf.device_id()));
  return unbind_locked(context, vf);
}

Result<void> unbind(const ChangeContext& context, const VfView& vf) {
  ROCELANE_ASSIGN_OR_RETURN(const auto lock, lock_idle(context, vf));
  return unbind_locked(context, vf);
}

}  // namespace rocelane::agent
