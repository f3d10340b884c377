// SPDX-License-Identifier: Apache-2.0
#include "lib/base/subprocess.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "lib/base/deadline.h"
#include "lib/base/file.h"
#include "lib/base/scope_guard.h"
#include "lib/base/unique_fd.h"

namespace rocelane {

namespace {

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Error::from_errno(errno, "pipe2");
  }
  return Pipe{.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1])};
}

// stdin is a socket pair, so that a child that never reads gives EPIPE here and no SIGPIPE.
Result<Pipe> make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Error::from_errno(errno, "socketpair");
  }
  return Pipe{.read = UniqueFd(ends[0]), .write = UniqueFd(ends[1])};
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (auto& text : strings) {
    out.push_back(text.data());
  }
  out.push_back(nullptr);
  return out;
}

struct Streams {
  UniqueFd input;   // we write
  UniqueFd output;  // we read
  UniqueFd error;   // we read
};

Result<pid_t> spawn(const Subprocess& request, const Pipe& in, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const ScopeGuard destroy([&] { posix_spawn_file_actions_destroy(&actions); });
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const ScopeGuard destroy_attributes([&] { posix_spawnattr_destroy(&attributes); });
  // Daemons block signals for their own loop; a child must start with none blocked.
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_adddup2(&actions, in.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  // Ours are close-on-exec; what the caller of this program left open is not.
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);

  std::vector<std::string> argv{request.path};
  argv.insert(argv.end(), request.arguments.begin(), request.arguments.end());
  std::vector<std::string> environment = request.environment;
  pid_t pid = -1;
  const int number = posix_spawn(&pid, request.path.c_str(), &actions, &attributes,
                                 pointers(argv).data(), pointers(environment).data());
  if (number != 0) {
    return Error::from_errno(number, "executing " + request.path);
  }
  return pid;
}

// Reads what is there; closes the descriptor at end of file.
Result<void> drain(UniqueFd& fd, std::string& into) {
  std::array<char, 4096> chunk{};
  const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
  if (n < 0) {
    return errno == EINTR ? Result<void>() : Error::from_errno(errno, "reading its output");
  }
  if (n == 0) {
    fd.reset();
    return {};
  }
  into.append(chunk.data(), static_cast<std::size_t>(n));
  if (into.size() > kMaxFileBytes) {
    return Error::make(Code::kInvalidInput, fmt::format("wrote more than {} bytes", kMaxFileBytes));
  }
  return {};
}

// Writes what fits; closes the descriptor when all is written or the child stopped reading.
void feed(UniqueFd& fd, std::string_view& rest) {
  const ssize_t n = ::send(fd.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) {
    return;
  }
  if (n < 0) {
    fd.reset();
    return;
  }
  rest.remove_prefix(static_cast<std::size_t>(n));
  if (rest.empty()) {
    fd.reset();
  }
}

Result<void> talk(Streams& streams, std::string_view input, const Deadline& deadline,
                  SubprocessOutcome& outcome) {
  if (input.empty()) {
    streams.input.reset();
  }
  while (streams.output.valid() || streams.error.valid()) {
    // poll(2) ignores negative descriptors, which is what closed ones are here.
    std::array<pollfd, 3> polled{{{.fd = streams.input.get(), .events = POLLOUT, .revents = 0},
                                  {.fd = streams.output.get(), .events = POLLIN, .revents = 0},
                                  {.fd = streams.error.get(), .events = POLLIN, .revents = 0}}};
    const int n = ::poll(polled.data(), polled.size(), static_cast<int>(deadline.left().count()));
    if (n < 0 && errno != EINTR) {
      return Error::from_errno(errno, "poll");
    }
    if (n <= 0) {
      if (deadline.passed()) {
        return Error::make(Code::kTimeout, "did not finish in time");
      }
      continue;
    }
    if (polled[0].revents != 0) {
      feed(streams.input, input);
    }
    if (polled[1].revents != 0) {
      ROCELANE_RETURN_IF_ERROR(drain(streams.output, outcome.output));
    }
    if (polled[2].revents != 0) {
      ROCELANE_RETURN_IF_ERROR(drain(streams.error, outcome.error_output));
    }
  }
  return {};
}

// Waits on a pidfd, so that a child that closed its output but runs on is bounded too.
Result<int> reap(pid_t pid, int pidfd, const Deadline& deadline) {
  pollfd polled{.fd = pidfd, .events = POLLIN, .revents = 0};
  int n = 0;
  do {
    n = ::poll(&polled, 1, static_cast<int>(deadline.left().count()));
  } while (n < 0 && errno == EINTR);
  if (n == 0) {
    return Error::make(Code::kTimeout, "did not finish in time");
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) {
      return Error::from_errno(errno, "waitpid");
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<SubprocessOutcome> run_subprocess(const Subprocess& request) {
  const auto deadline = Deadline::after(request.limit);
  ROCELANE_ASSIGN_OR_RETURN(auto in, make_input());
  ROCELANE_ASSIGN_OR_RETURN(auto out, make_pipe());
  ROCELANE_ASSIGN_OR_RETURN(auto err, make_pipe());
  ROCELANE_ASSIGN_OR_RETURN(const pid_t pid, spawn(request, in, out, err));
  in.read.reset();
  out.write.reset();
  err.write.reset();
  ScopeGuard kill_child([pid] {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  });
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!pidfd.valid()) {
    return Error::from_errno(errno, "pidfd_open");
  }
  Streams streams{
      .input = std::move(in.write), .output = std::move(out.read), .error = std::move(err.read)};
  SubprocessOutcome outcome;
  ROCELANE_RETURN_IF_ERROR(
      talk(streams, request.input, deadline, outcome).with_context(request.path));
  auto code = reap(pid, pidfd.get(), deadline).with_context(request.path);
  if (!code.ok()) {
    return code.error();
  }
  kill_child.dismiss();
  outcome.exit_code = *code;
  return outcome;
}

}  // namespace rocelane
