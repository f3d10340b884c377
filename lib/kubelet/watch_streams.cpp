// SPDX-License-Identifier: Apache-2.0
#include "lib/kubelet/watch_streams.h"

#include <algorithm>

namespace rocelane::kubelet {

// Every member is guarded by the hub's mutex. At most one write is under way (gRPC's rule), so a
// slow peer skips the lists in between: each message is the whole list.
class WatchStreams::Stream : public grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse> {
 public:
  Stream(WatchStreams& hub, std::uint64_t number) : hub_(hub), number_(number) {}

  [[nodiscard]] std::uint64_t number() const { return number_; }

  void advance() {
    if (writing_ || finished_) {
      return;
    }
    if (hub_.stopping_) {
      finish(grpc::Status::OK);
    } else if (sent_ != hub_.generation_) {
      sent_ = hub_.generation_;
      sending_ = hub_.list_;
      writing_ = true;
      StartWrite(sending_.get());
    }
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(hub_.mutex_);
    writing_ = false;
    if (!ok) {
      finish(grpc::Status::CANCELLED);
      return;
    }
    advance();
  }

  void OnCancel() override {
    const std::lock_guard lock(hub_.mutex_);
    finish(grpc::Status::CANCELLED);
  }

  void OnDone() override { hub_.finished(this); }  // destroys this object

 private:
  void finish(const grpc::Status& status) {
    if (!finished_) {
      finished_ = true;
      Finish(status);
    }
  }

  WatchStreams& hub_;
  const std::uint64_t number_;
  std::uint64_t sent_ = 0;
  List sending_;
  bool writing_ = false;
  bool finished_ = false;
};

WatchStreams::WatchStreams() = default;
WatchStreams::~WatchStreams() = default;

grpc::ServerWriteReactor<v1beta1::ListAndWatchResponse>* WatchStreams::open() {
  const std::lock_guard lock(mutex_);
  auto& stream = streams_.emplace_back(std::make_unique<Stream>(*this, ++opened_));
  stream->advance();
  return stream.get();
}

void WatchStreams::publish(List list) {
  const std::lock_guard lock(mutex_);
  list_ = std::move(list);
  ++generation_;
  for (const auto& stream : streams_) {
    stream->advance();
  }
}

void WatchStreams::on_stream_end(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  on_stream_end_ = std::move(callback);
}

std::size_t WatchStreams::open_streams() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

std::uint64_t WatchStreams::streams_opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

void WatchStreams::stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  for (const auto& stream : streams_) {
    stream->advance();
  }
}

void WatchStreams::join() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return streams_.empty() && callbacks_running_ == 0; });
}

void WatchStreams::finished(const Stream* stream) {
  std::unique_lock lock(mutex_);
  const auto found = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const auto& owned) { return owned.get() == stream; });
  // OnDone is the last reaction: gRPC lets the object go within it.
  const auto owned = std::move(*found);
  streams_.erase(found);
  if (!stopping_ && on_stream_end_ && owned->number() == opened_) {
    const auto callback = on_stream_end_;
    ++callbacks_running_;
    lock.unlock();
    callback();
    lock.lock();
    --callbacks_running_;
  }
  changed_.notify_all();
}

}  // namespace rocelane::kubelet
