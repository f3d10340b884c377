// SPDX-License-Identifier: Apache-2.0
// Owns opening, making and entering network namespaces; what happens inside is the caller's.
#include "lib/netns/netns.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <csignal>

namespace rocelane::netns {

namespace {

// The calling thread's own namespaces; /proc/self is the thread group leader's (proc(5)).
constexpr const char* kThreadNetNs = "/proc/thread-self/ns/net";

using Work = std::function<Result<void>()>;

struct Job {
  const Work& work;
  Result<void> outcome;
};

void* run_job(void* argument) {
  auto* job = static_cast<Job*>(argument);
  job->outcome = job->work();
  return nullptr;
}

// Runs `work` on a thread that exists for it alone: whatever namespace it enters ends with it. All
// signals are blocked there, so that handlers never run in a foreign namespace.
Result<void> on_own_thread(const Work& work) {
  Job job{.work = work, .outcome = {}};
  sigset_t all;
  sigfillset(&all);
  pthread_attr_t attributes;
  if (const int failed = ::pthread_attr_init(&attributes); failed != 0) {
    return Error::from_errno(failed, "pthread_attr_init");
  }
  ::pthread_attr_setsigmask_np(&attributes, &all);
  pthread_t thread{};
  const int failed = ::pthread_create(&thread, &attributes, run_job, &job);
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) {
    return Error::from_errno(failed, "starting a thread for a network namespace");
  }
  ROCELANE_CHECK(::pthread_join(thread, nullptr) == 0);
  return std::move(job.outcome);
}

Result<UniqueFd> open_nsfs(const std::string& path) {
  // O_NONBLOCK: a FIFO at this path must not block the caller.
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) {
    return Error::from_errno(errno, path);
  }
  struct statfs fs {};
  if (::fstatfs(fd.get(), &fs) != 0) {
    return Error::from_errno(errno, path);
  }
  if (fs.f_type != NSFS_MAGIC || ::ioctl(fd.get(), NS_GET_NSTYPE) != CLONE_NEWNET) {
    return Error::make(Code::kInvalidInput, path + ": not a network namespace");
  }
  return fd;
}

}  // namespace

NetNs::NetNs(UniqueFd fd, Id id) : fd_(std::move(fd)), id_(id) {}

Result<NetNs> NetNs::open(const std::string& path) {
  ROCELANE_ASSIGN_OR_RETURN(UniqueFd fd, open_nsfs(path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return Error::from_errno(errno, path);
  }
  return NetNs(std::move(fd), Id{.device = status.st_dev, .inode = status.st_ino});
}

Result<NetNs> NetNs::current() { return open(kThreadNetNs); }

Result<NetNs> NetNs::create() {
  std::optional<NetNs> made;
  ROCELANE_RETURN_IF_ERROR(on_own_thread([&made]() -> Result<void> {
    if (::unshare(CLONE_NEWNET) != 0) {
      return Error::from_errno(errno, "making a network namespace");
    }
    ROCELANE_ASSIGN_OR_RETURN(made, current());
    return {};
  }));
  return std::move(*made);
}

Result<void> NetNs::run_in(const Work& work) const {
  return on_own_thread([&]() -> Result<void> {
    if (::setns(fd_.get(), CLONE_NEWNET) != 0) {
      return Error::from_errno(errno, "entering the network namespace");
    }
    return work();
  });
}

}  // namespace rocelane::netns
