// SPDX-License-Identifier: Apache-2.0
// FakeKubelet: kubelet's device manager as kubelet 1.34 behaves (cm/devicemanager/plugin/v1beta1):
// Registration at <plugin dir>/kubelet.sock, and towards each registered plugin a connection that
// asks for its options within Register and then holds ListAndWatch open.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/base/result.h"
#include "lib/kubelet/device_plugin.h"

namespace rocelane::test {

class FakeKubelet {
 public:
  using Clock = std::chrono::steady_clock;
  using List = std::vector<kubelet::Device>;
  static constexpr std::chrono::seconds kPatience{10};

  // Wipes the directory (made when missing) and serves.
  static Result<std::unique_ptr<FakeKubelet>> start(const std::string& plugin_dir);
  FakeKubelet(const FakeKubelet&) = delete;
  FakeKubelet& operator=(const FakeKubelet&) = delete;
  FakeKubelet(FakeKubelet&&) = delete;
  FakeKubelet& operator=(FakeKubelet&&) = delete;
  ~FakeKubelet();

  // The process dies: every connection closes; plugins' files stay.
  void stop();
  // The next one starts: the directory is wiped, kubelet.sock appears.
  Result<void> start_again();

  // Refuses Register with this sentence; empty: accepts.
  void refuse(std::string sentence);
  // The connection to the plugin breaks.
  void drop_stream(const std::string& resource);

  struct Registration {
    std::string resource;
    std::string endpoint;
    std::string version;
    Clock::time_point at;
  };
  // Accepted ones since the object was made.
  [[nodiscard]] std::vector<Registration> registrations() const;
  [[nodiscard]] int refused() const;
  // Lists received for a resource over all its streams.
  [[nodiscard]] int lists(const std::string& resource) const;

  // Waits until the condition holds for what kubelet knows then; false: kPatience is over.
  [[nodiscard]] bool wait_for_registrations(std::size_t count) const;
  [[nodiscard]] bool wait_for_refusals(int count) const;
  // The last list of a resource whose stream is open now (nullopt: none yet).
  [[nodiscard]] bool wait_for_list(const std::string& resource,
                                   const std::function<bool(const List&)>& wanted) const;
  [[nodiscard]] std::optional<List> list(const std::string& resource) const;

  // One container's Allocate. Errors: kNotFound (no such plugin), else the plugin's.
  [[nodiscard]] Result<kubelet::Allocation> allocate(const std::string& resource,
                                                     const std::vector<std::string>& ids) const;
  // "OK" or the status' sentence of the two calls that plugins may leave out.
  [[nodiscard]] std::string preferred_allocation(const std::string& resource) const;

 private:
  struct Inner;
  explicit FakeKubelet(std::unique_ptr<Inner> inner);
  std::unique_ptr<Inner> inner_;
};

// A ListAndWatch stream of a plugin that nobody reads.
class UnreadStream {
 public:
  explicit UnreadStream(const std::string& plugin_socket);  // returns when the plugin serves it
  UnreadStream(const UnreadStream&) = delete;
  UnreadStream& operator=(const UnreadStream&) = delete;
  UnreadStream(UnreadStream&&) = delete;
  UnreadStream& operator=(UnreadStream&&) = delete;
  ~UnreadStream();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace rocelane::test
