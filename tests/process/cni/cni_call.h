// SPDX-License-Identifier: Apache-2.0
// CniCall: one call of the built roce-cni, as a runtime makes it.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/base/result.h"

namespace rocelane::test {

struct CniCall {
  std::string command;                             // "ADD"
  std::map<std::string, std::string> environment;  // without CNI_COMMAND
  std::string input;
  std::vector<std::string> through;  // a program that runs it ("strace", …); empty: none
};

struct CniAnswer {
  int exit_code = 0;
  std::string output;
  std::string log;  // its stderr

  // The document on stdout; null when there is none.
  [[nodiscard]] nlohmann::json json() const;
  // CNI error code of the document, 0 when it is no error.
  [[nodiscard]] int code() const;
  [[nodiscard]] std::string message() const;
};

CniAnswer call_cni(const CniCall& call);

}  // namespace rocelane::test
