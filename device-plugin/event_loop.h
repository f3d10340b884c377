// SPDX-License-Identifier: Apache-2.0
// EventLoop: the one thread that owns the plugin's state. Asio stays behind event_loop.cpp.
//
// Thread: post() from any; everything else from the loop's own thread or before run().
#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace rocelane::plugin {

using Task = std::function<void()>;

class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  EventLoop(EventLoop&&) = delete;
  EventLoop& operator=(EventLoop&&) = delete;
  ~EventLoop();

  void run();   // until stop()
  void stop();  // posted tasks that have not begun are dropped
  void post(Task task);

 private:
  friend class FdWatch;
  friend class Timer;
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

// Calls `on_readable` whenever the descriptor (borrowed) has something to read, as long as the
// object lives. The task must read until nothing is left.
class FdWatch {
 public:
  FdWatch(EventLoop& loop, int fd, Task on_readable);
  FdWatch(const FdWatch&) = delete;
  FdWatch& operator=(const FdWatch&) = delete;
  FdWatch(FdWatch&&) = delete;
  FdWatch& operator=(FdWatch&&) = delete;
  ~FdWatch();

 private:
  struct Inner;
  std::shared_ptr<Inner> inner_;
};

// One task later; arming again replaces it, destruction cancels it.
class Timer {
 public:
  explicit Timer(EventLoop& loop);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  Timer(Timer&&) = delete;
  Timer& operator=(Timer&&) = delete;
  ~Timer();

  void arm(std::chrono::milliseconds span, Task task);
  void cancel();
  [[nodiscard]] bool armed() const;

 private:
  struct Inner;
  std::shared_ptr<Inner> inner_;
};

// A thread for calls that block.
class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  Worker(Worker&&) = delete;
  Worker& operator=(Worker&&) = delete;
  ~Worker();  // waits for what was posted

  void post(Task task);

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace rocelane::plugin
