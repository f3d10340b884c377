// SPDX-License-Identifier: Apache-2.0
// WatchStreams: the open ListAndWatch streams of one plugin and the list they carry. Private to
// lib/kubelet.
//
// Threads: any. gRPC's reactions come on its own threads; a stream costs no thread while it waits,
// and a peer that goes away is noticed at once (OnCancel), not at the next write.
#pragma once

#include <grpcpp/support/server_callback.h>
#include <proto/device_plugin.pb.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace rocelane::kubelet {

class WatchStreams {
 public:
  using List = std::shared_ptr<const v1beta1::ListAndWatchResponse>;

  WatchStreams();
  WatchStreams(const WatchStreams&) = delete;
  WatchStreams& operator=(const WatchStreams&) = delete;
  WatchStreams(WatchStreams&&) = delete;
  WatchStreams& operator=(WatchStreams&&) = delete;
  ~WatchStreams();

  // A new stream: sends the list now and after every publish(). Owned here until gRPC is done.
  grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* open();
  void publish(List list);
  // Called when the newest stream ended.
  void on_stream_end(std::function<void()> callback);
  [[nodiscard]] std::size_t open_streams() const;
  [[nodiscard]] std::uint64_t streams_opened() const;
  // Ends every stream with OK, later ones at once; no new callback. One whose peer does not read
  // ends when the server is shut down.
  void stop();
  // After stop() and the server's Shutdown(): waits for the last stream and callback.
  void join();

 private:
  class Stream;
  void finished(const Stream* stream);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  List list_;
  std::uint64_t generation_ = 0;
  bool stopping_ = false;
  std::list<std::unique_ptr<Stream>> streams_;  // in the order of opening
  std::uint64_t opened_ = 0;
  int callbacks_running_ = 0;
  std::function<void()> on_stream_end_;
};

}  // namespace rocelane::kubelet
