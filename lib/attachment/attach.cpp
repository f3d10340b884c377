// SPDX-License-Identifier: Apache-2.0
#include "lib/attachment/attach.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <functional>
#include <utility>

#include "lib/attachment/delegate_call.h"
#include "lib/attachment/netdev.h"
#include "lib/attachment/pod_network.h"
#include "lib/attachment/rdma_device.h"
#include "lib/attachment/release.h"
#include "lib/attachment/vf.h"
#include "lib/base/log.h"
#include "lib/cni/cdi_spec.h"
#include "lib/cni/delegate.h"
#include "lib/rdma/names.h"
#include "lib/sysfs/sysfs.h"

namespace rocelane::attachment {

namespace {

// A parallel DEL of the device's last pod holds the lock while the kernel resets the VF.
constexpr std::chrono::milliseconds kAttachLockLimit{20'000};
constexpr std::chrono::milliseconds kCarrierLimit{5'000};
constexpr std::chrono::milliseconds kGidLimit{10'000};

Result<std::string> random_generation() {
  std::array<std::uint8_t, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Error::from_errno(errno, "getrandom");
  }
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

// The uverbs node, and the connection manager's where the host has one (rdma_ucm loaded).
Result<std::vector<cni::CdiDeviceNode>> device_nodes(const sysfs::Sysfs& sysfs,
                                                     const state::RdmaRef& rdma) {
  std::vector<cni::CdiDeviceNode> nodes{
      {.path = "/dev/infiniband/" + rdma.chardev, .major = rdma.major, .minor = rdma.minor}};
  ROCELANE_ASSIGN_OR_RETURN(const auto cm, sysfs.find("class/misc/rdma_cm/dev"));
  unsigned major = 0;
  unsigned minor = 0;
  if (cm && std::sscanf(cm->c_str(), "%u:%u", &major, &minor) == 2) {
    nodes.push_back({.path = "/dev/infiniband/rdma_cm", .major = major, .minor = minor});
  }
  return nodes;
}

class Attacher {
 public:
  Attacher(const Host& host, const Plan& plan) : host_(host), plan_(plan) {}

  Outcome run();

 private:
  using Work = Result<void> (Attacher::*)();
  struct Step {
    const char* name;
    Work work;
  };

  Result<void> open_pod();
  Result<void> lock();
  Result<void> claim();
  Result<void> look_at_device();
  Result<void> write_record();
  Result<void> set_vf();
  Result<void> move();
  Result<void> rdma_device();
  Result<void> cdi_spec();
  Result<void> ipam();
  Result<void> addresses();
  Result<void> carrier();
  Result<void> gid();
  Result<void> ready();

  Outcome fail(const Step& step, const Error& error);

  const Host& host_;
  const Plan& plan_;
  std::optional<state::DeviceLock> lock_;
  std::optional<netns::NetNs> pod_;
  std::optional<sysfs::Sysfs> sysfs_;
  Inspected device_;
  netlink::Link link_;  // in the pod
  cni::AddResult addresses_;
  state::Record record_;
  bool recorded_ = false;  // from here on a failure has something to undo
};

Result<void> Attacher::open_pod() {
  ROCELANE_ASSIGN_OR_RETURN(pod_, netns::NetNs::open(plan_.netns_path));
  ROCELANE_ASSIGN_OR_RETURN(const auto host, netns::NetNs::current());
  if (pod_->id() == host.id()) {
    return Error::make(Code::kInvalidInput, plan_.netns_path + " is the host's own netns");
  }
  ROCELANE_ASSIGN_OR_RETURN(auto socket, open_socket_in(*pod_, netlink::Family::kRoute));
  ROCELANE_ASSIGN_OR_RETURN(const auto taken, netlink::find_link(socket, plan_.if_name));
  if (taken) {
    return Error::make(Code::kInvalidInput,
                       "the pod already has an interface named " + plan_.if_name);
  }
  return {};
}

Result<void> Attacher::lock() {
  ROCELANE_ASSIGN_OR_RETURN(lock_, host_.store.lock_device(plan_.device_id, kAttachLockLimit));
  return {};
}

// Under the lock no other process works on the device, so a record found now is either of a living
// attachment or of one whose DEL was lost.
Result<void> Attacher::claim() {
  ROCELANE_ASSIGN_OR_RETURN(auto holder, host_.store.find_by_device(plan_.device_id));
  if (!holder) {
    return {};
  }
  const bool same_pod = !plan_.pod.uid.empty() && holder->pod.uid == plan_.pod.uid;
  const bool over = holder->phase == state::Phase::kReleasing || same_pod ||
                    holder->container_id == plan_.container_id || !netns_lives(host_, *holder);
  const auto who = fmt::format("pod {}/{} (container {})", holder->pod.ns, holder->pod.name,
                               holder->container_id);
  if (!over) {
    return Error::make(Code::kBusy, fmt::format("{} is held by {}", plan_.device_id, who));
  }
  log::info("finishing the release of an earlier attachment",
            {{"device", plan_.device_id}, {"holder", who}});
  auto released = release_locked(host_, std::move(*holder));
  if (!released.ok()) {
    return Error::make(Code::kBusy, fmt::format("{} could not be released from {}: {}",
                                                plan_.device_id, who, released.error().message));
  }
  return {};
}

Result<void> Attacher::look_at_device() {
  ROCELANE_ASSIGN_OR_RETURN(sysfs_, sysfs::Sysfs::open(host_.sysfs_root));
  ROCELANE_ASSIGN_OR_RETURN(device_, inspect(*sysfs_, plan_));
  ROCELANE_ASSIGN_OR_RETURN(record_.rdma, plan_rdma_device(plan_, device_));
  return {};
}

Result<void> Attacher::write_record() {
  ROCELANE_ASSIGN_OR_RETURN(record_.generation, random_generation());
  ROCELANE_ASSIGN_OR_RETURN(record_.boot_id, state::read_boot_id(host_.proc_root));
  record_.container_id = plan_.container_id;
  record_.if_name = plan_.if_name;
  record_.cni_network_name = plan_.cni_network_name;
  record_.cni_if_name = plan_.cni_if_name;
  record_.pod = plan_.pod;
  record_.network = plan_.network;
  record_.resource = plan_.resource;
  record_.device_id = plan_.device_id;
  record_.pool_type = config::to_string(plan_.type);
  record_.netns = {
      .path = plan_.netns_path, .device = pod_->id().device, .inode = pod_->id().inode};
  record_.saved = device_.saved;
  record_.ipam = plan_.ipam;
  record_.cdi_spec = host_.cdi_dir + "/" + rdma::cdi_spec_file(plan_.device_id);
  record_.phase = state::Phase::kChanging;
  ROCELANE_RETURN_IF_ERROR(host_.store.save(record_));
  recorded_ = true;
  return {};
}

Result<void> Attacher::set_vf() { return apply_settings(device_, plan_.vf); }

Result<void> Attacher::move() {
  ROCELANE_ASSIGN_OR_RETURN(const auto host, netns::NetNs::current());
  const NetdevShape shape{
      .name = plan_.if_name, .mac = plan_.vf.mac, .mtu = plan_.vf.mtu, .alt_names = {}};
  ROCELANE_ASSIGN_OR_RETURN(link_,
                            move_netdev(host, *pod_, device_.netdev, plan_.device_id, shape));
  return {};
}

Result<void> Attacher::rdma_device() { return bring_rdma_device(*pod_, link_.name, record_.rdma); }

Result<void> Attacher::cdi_spec() {
  cni::CdiSpec spec{.kind = std::string(rdma::kCdiKind),
                    .device_id = plan_.device_id,
                    .generation = record_.generation};
  ROCELANE_ASSIGN_OR_RETURN(spec.nodes, device_nodes(*sysfs_, record_.rdma));
  spec.hook = host_.oci_hook;
  spec.hook_args = {host_.oci_hook,
                    "--record",
                    host_.store.record_path(plan_.container_id, plan_.if_name),
                    "--generation",
                    record_.generation,
                    "--device-id",
                    plan_.device_id,
                    "--memlock",
                    plan_.memlock_bytes ? std::to_string(*plan_.memlock_bytes) : "unlimited"};
  return cni::write_cdi_spec(record_.cdi_spec, spec);
}

Result<void> Attacher::ipam() {
  if (plan_.ipam.empty()) {
    return {};
  }
  ROCELANE_ASSIGN_OR_RETURN(addresses_, cni::ipam_add(delegate_call(host_, record_)));
  if (addresses_.ips.empty()) {
    return Error::make(Code::kIo, "the IPAM plugin gave no address");
  }
  for (const auto& ip : addresses_.ips) {
    record_.addresses.push_back(ip.address.to_string());
  }
  return {};
}

Result<void> Attacher::addresses() { return configure(*pod_, link_, addresses_, host_.proc_root); }

Result<void> Attacher::carrier() {
  ROCELANE_ASSIGN_OR_RETURN(const bool up, wait_for_carrier(*pod_, link_.index, kCarrierLimit));
  if (!up) {
    log::warn("no carrier", {{"device", plan_.device_id}, {"ifname", link_.name}});
  }
  return {};
}

Result<void> Attacher::gid() {
  for (const auto& ip : addresses_.ips) {
    ROCELANE_ASSIGN_OR_RETURN(
        const auto found,
        wait_for_gid(*pod_, record_.rdma.device, ip.address.address, link_.name, kGidLimit));
    if (record_.gid.empty()) {
      record_.gid = found.to_string();
    }
  }
  return {};
}

Result<void> Attacher::ready() {
  record_.phase = state::Phase::kReady;
  return host_.store.save(record_);
}

Outcome Attacher::fail(const Step& step, const Error& error) {
  Failure failure{.step = step.name, .error = error};
  if (recorded_) {
    record_.step = step.name;
    if (auto undone = release_locked(host_, record_); !undone.ok()) {
      failure.error.message += " (undoing it is not finished: " + undone.error().message + ")";
    }
  }
  return {.attached = std::nullopt, .failure = std::move(failure)};
}

Outcome Attacher::run() {
  static constexpr std::array kSteps{
      Step{.name = "netns", .work = &Attacher::open_pod},
      Step{.name = "lock", .work = &Attacher::lock},
      Step{.name = "claim", .work = &Attacher::claim},
      Step{.name = "device", .work = &Attacher::look_at_device},
      Step{.name = "record", .work = &Attacher::write_record},
      Step{.name = "vf-settings", .work = &Attacher::set_vf},
      Step{.name = "move-netdev", .work = &Attacher::move},
      Step{.name = "rdma-device", .work = &Attacher::rdma_device},
      Step{.name = "cdi-spec", .work = &Attacher::cdi_spec},
      Step{.name = "ipam", .work = &Attacher::ipam},
      Step{.name = "addresses", .work = &Attacher::addresses},
      Step{.name = "carrier", .work = &Attacher::carrier},
      Step{.name = "gid", .work = &Attacher::gid},
      Step{.name = "ready", .work = &Attacher::ready},
  };
  for (const auto& step : kSteps) {
    const auto begun = std::chrono::steady_clock::now();
    record_.step = step.name;
    if (auto done = (this->*step.work)(); !done.ok()) {
      return fail(step, done.error());
    }
    record_.timings_us[step.name] = std::chrono::duration_cast<std::chrono::microseconds>(
                                        std::chrono::steady_clock::now() - begun)
                                        .count();
  }
  return {
      .attached =
          Attached{.record = record_, .mac = link_.mac, .mtu = link_.mtu, .addresses = addresses_},
      .failure = std::nullopt};
}

}  // namespace

Outcome attach(const Host& host, const Plan& plan) { return Attacher(host, plan).run(); }

}  // namespace rocelane::attachment
