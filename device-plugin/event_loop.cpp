// SPDX-License-Identifier: Apache-2.0
#include "device-plugin/event_loop.h"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <cstdint>
#include <utility>

namespace rocelane::plugin {

struct EventLoop::Inner {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard{context.get_executor()};
};

EventLoop::EventLoop() : inner_(std::make_unique<Inner>()) {}
EventLoop::~EventLoop() = default;

void EventLoop::run() { inner_->context.run(); }
void EventLoop::stop() { inner_->context.stop(); }
void EventLoop::post(Task task) { asio::post(inner_->context, std::move(task)); }

struct FdWatch::Inner : std::enable_shared_from_this<FdWatch::Inner> {
  Inner(asio::io_context& context, int fd, Task task)
      : descriptor(context, fd), on_readable(std::move(task)) {}

  void wait() {
    descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                          [self = shared_from_this()](const std::error_code& problem) {
                            if (!problem && self->live) {
                              self->on_readable();
                              self->wait_again();
                            }
                          });
  }

  void wait_again() {
    if (live) {
      wait();
    }
  }

  asio::posix::stream_descriptor descriptor;
  Task on_readable;
  bool live = true;
};

FdWatch::FdWatch(EventLoop& loop, int fd, Task on_readable)
    : inner_(std::make_shared<Inner>(loop.inner_->context, fd, std::move(on_readable))) {
  inner_->wait();
}

FdWatch::~FdWatch() {
  inner_->live = false;
  inner_->descriptor.release();  // the descriptor is borrowed: not closed here
}

struct Timer::Inner {
  explicit Inner(asio::io_context& context) : timer(context) {}
  asio::steady_timer timer;
  std::uint64_t generation = 0;  // a task already queued by the loop can no longer be cancelled
  bool armed = false;
};

Timer::Timer(EventLoop& loop) : inner_(std::make_shared<Inner>(loop.inner_->context)) {}
// The pending wait shares Inner; it finds the timer disarmed and does nothing.
Timer::~Timer() {
  inner_->armed = false;
  std::error_code ignored;
  inner_->timer.cancel(ignored);
}

void Timer::arm(std::chrono::milliseconds span, Task task) {
  inner_->timer.expires_after(span);
  inner_->armed = true;
  const auto generation = ++inner_->generation;
  inner_->timer.async_wait(
      [inner = inner_, generation, task = std::move(task)](const std::error_code& /*problem*/) {
        if (inner->generation == generation && inner->armed) {
          inner->armed = false;
          task();
        }
      });
}

void Timer::cancel() {
  inner_->armed = false;
  ++inner_->generation;
  inner_->timer.cancel();
}

bool Timer::armed() const { return inner_->armed; }

struct Worker::Inner {
  asio::thread_pool pool{1};
};

Worker::Worker() : inner_(std::make_unique<Inner>()) {}
Worker::~Worker() { inner_->pool.join(); }

void Worker::post(Task task) { asio::post(inner_->pool, std::move(task)); }

}  // namespace rocelane::plugin
