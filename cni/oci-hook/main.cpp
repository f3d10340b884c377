// SPDX-License-Identifier: Apache-2.0
// roce-oci-hook: an OCI createRuntime hook (runtime-spec config.md, "POSIX-platform Hooks"). It
// lets a container start only with the device its pod holds now, and raises its memlock limit. Exit
// 0: go on; 1: the runtime stops the container and shows the sentence on stderr.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>

#include "cni/oci-hook/check.h"
#include "cni/oci-hook/memlock.h"
#include "cni/oci-hook/options.h"
#include "lib/base/file.h"
#include "lib/base/version.h"

namespace rocelane::hook {

namespace {

// Not read_file("/dev/stdin"): some runtimes hand over a socket, which cannot be opened again.
Result<std::string> read_standard_input() {
  std::string text;
  std::array<char, 4096> chunk{};
  while (text.size() <= kMaxFileBytes) {
    const ssize_t n = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (n == 0) {
      return text;
    }
    if (n > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      return Error::from_errno(errno, "reading standard input");
    }
  }
  return Error::make(Code::kInvalidInput, "standard input is too long");
}

Result<state::Record> read_record(const std::string& path) {
  auto text = read_file(path);
  if (!text.ok() && text.error().code == Code::kNotFound) {
    return Error::make(Code::kNotFound, "no pod is attached to it");
  }
  if (!text.ok()) {
    return text.error();
  }
  return state::parse_record(*text).with_context("the record is damaged");
}

Result<cni::OciConfig> read_bundle(const std::string& bundle) {
  const auto path = bundle + "/config.json";
  ROCELANE_ASSIGN_OR_RETURN(const auto text, read_file(path));
  return cni::parse_oci_config(text).with_context(path);
}

Result<void> admit(const Options& options) {
  ROCELANE_ASSIGN_OR_RETURN(const auto input, read_standard_input());
  ROCELANE_ASSIGN_OR_RETURN(const auto container, cni::parse_oci_state(input).with_context(
                                                      "container state on standard input"));
  ROCELANE_ASSIGN_OR_RETURN(const auto config, read_bundle(container.bundle));
  const auto record = read_record(options.record_path);
  const auto checked =
      record.ok() ? check_attachment(*record, options, config) : Result<void>(record.error());
  if (!checked.ok()) {
    return Error::make(checked.error().code,
                       refusal(options, record.ok() ? &*record : nullptr, config, checked.error()));
  }
  // What the pod's author wrote into the runtime's configuration wins.
  if (!options.memlock || config.has_memlock_limit) {
    return {};
  }
  return raise_memlock(container.pid, *options.memlock);
}

int run(std::span<char* const> arguments) {
  const auto options = parse_options(arguments);
  if (options.ok() && options->show_version) {
    return std::printf("roce-oci-hook %s\n", version().data()) > 0 ? 0 : 1;
  }
  const auto admitted = options.ok() ? admit(*options) : Result<void>(options.error());
  if (!admitted.ok()) {
    // Nothing is left to do when stderr itself is gone.
    static_cast<void>(
        std::fprintf(stderr, "roce-oci-hook: %s\n", admitted.error().message.c_str()));
    return 1;
  }
  return 0;
}

}  // namespace

}  // namespace rocelane::hook

int main(int argc, char** argv) {
  try {
    return rocelane::hook::run(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& problem) {
    static_cast<void>(std::fprintf(stderr, "roce-oci-hook: %s\n", problem.what()));
    return 1;
  }
}
