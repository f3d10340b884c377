// SPDX-License-Identifier: Apache-2.0
// One bounded child process: stdin given, stdout and stderr collected, killed at the deadline.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace rocelane {

struct Subprocess {
  std::string path;                      // absolute; no PATH search
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // complete: "KEY=value"
  std::string input;                     // written to its stdin, then closed
  std::chrono::milliseconds limit{30'000};
};

struct SubprocessOutcome {
  int exit_code = 0;  // 128 + signal when killed by one, as a shell says it
  std::string output;
  std::string error_output;
};

// Runs it to its end in the calling thread's network namespace; it inherits no descriptor beside
// stdin, stdout and stderr. A program that exits non-zero is an
// outcome, not an error. Errors: kNotFound/kPermission (cannot be executed), kTimeout (killed and
// reaped), kIo, kInvalidInput (more output than kMaxFileBytes).
Result<SubprocessOutcome> run_subprocess(const Subprocess& request);

}  // namespace rocelane
