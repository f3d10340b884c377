// SPDX-License-Identifier: Apache-2.0
#include "lib/cni/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace rocelane::cni {

namespace {

constexpr std::size_t kMaxIfName = 15;  // IFNAMSIZ less the terminating zero

struct Needs {
  std::string_view name;
  Command command;
  bool container;
  bool netns;
  bool if_name;
  bool path;
};

// CNI specification 1.1.0, section 2 "Execution Protocol", per operation.
constexpr std::array kCommands{
    Needs{"ADD", Command::kAdd, true, true, true, false},
    Needs{"DEL", Command::kDel, true, false, true, false},
    Needs{"CHECK", Command::kCheck, true, true, true, false},
    Needs{"GC", Command::kGc, false, false, false, true},
    Needs{"STATUS", Command::kStatus, false, false, false, false},
    Needs{"VERSION", Command::kVersion, false, false, false, false},
};

class CallReader {
 public:
  explicit CallReader(const Environment& environment) : environment_(environment) {}

  CallOutcome read() {
    const auto command = environment_("CNI_COMMAND").value_or("");
    const auto* const needs =
        std::find_if(kCommands.begin(), kCommands.end(),
                     [&](const Needs& entry) { return entry.name == command; });
    if (needs == kCommands.end()) {
      problem(command.empty() ? std::string("CNI_COMMAND is missing")
                              : fmt::format("CNI_COMMAND=\"{}\" is not a command (want ADD, DEL, "
                                            "CHECK, GC, STATUS or VERSION)",
                                            command));
      return outcome();
    }
    call_.command = needs->command;
    call_.container_id = value("CNI_CONTAINERID", needs->container);
    call_.netns = value("CNI_NETNS", needs->netns);
    call_.if_name = value("CNI_IFNAME", needs->if_name);
    split_path(value("CNI_PATH", needs->path));
    if (needs->container) {  // the others have no container: what stands there says nothing
      check_container_id();
      check_if_name();
      read_args();
    }
    return outcome();
  }

 private:
  std::string value(std::string_view name, bool required) {
    auto text = environment_(name).value_or("");
    if (required && text.empty()) {
      problem(fmt::format("{} is missing", name));
    }
    return text;
  }

  void split_path(std::string_view text) {
    while (!text.empty()) {
      const auto end = std::min(text.find(':'), text.size());
      if (end > 0) {
        call_.path.emplace_back(text.substr(0, end));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void check_container_id() {
    const auto& id = call_.container_id;
    const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    const bool fine =
        id.empty() || (plain(id.front()) && std::all_of(id.begin(), id.end(), [&](char c) {
                         return plain(c) || c == '.' || c == '_' || c == '-';
                       }));
    if (!fine) {
      problem(
          fmt::format("CNI_CONTAINERID=\"{}\" must begin with a letter or digit and have only "
                      "those, '.', '_' and '-'",
                      id));
    }
  }

  // What the kernel takes as a name (net/core/dev.c dev_valid_name).
  void check_if_name() {
    const auto& name = call_.if_name;
    const bool bad_character = std::any_of(name.begin(), name.end(), [](char c) {
      return c == '/' || c == ':' || std::isspace(static_cast<unsigned char>(c)) != 0;
    });
    if (name == "." || name == ".." || name.size() > kMaxIfName || bad_character) {
      problem(
          fmt::format("CNI_IFNAME=\"{}\" is not an interface name (at most {} characters, no "
                      "'/', ':' or space)",
                      name, kMaxIfName));
    }
  }

  void read_args() {
    const auto text = environment_("CNI_ARGS").value_or("");
    std::string_view rest = text;
    while (!rest.empty()) {
      const auto end = std::min(rest.find(';'), rest.size());
      const auto entry = rest.substr(0, end);
      const auto equals = entry.find('=');
      if (!entry.empty() && (equals == std::string_view::npos || equals == 0)) {
        problem(fmt::format("CNI_ARGS: \"{}\" is not KEY=VALUE", entry));
      } else if (!entry.empty()) {
        call_.args[std::string(entry.substr(0, equals))] = entry.substr(equals + 1);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void problem(std::string text) { problems_ += (problems_.empty() ? "" : "; ") + std::move(text); }

  CallOutcome outcome() {
    if (problems_.empty()) {
      return {.call = std::move(call_), .error = std::nullopt};
    }
    return {.call = std::nullopt,
            .error = CniError{.code = ErrorCode::kInvalidEnvironment,
                              .message = std::move(problems_),
                              .details = {}}};
  }

  const Environment& environment_;
  Call call_;
  std::string problems_;
};

}  // namespace

CallOutcome parse_call(const Environment& environment) { return CallReader(environment).read(); }

const std::vector<std::string>& supported_versions() {
  static const std::vector<std::string> spoken{"0.3.1", "0.4.0", "1.0.0", "1.1.0"};
  return spoken;
}

bool is_supported(std::string_view version) {
  const auto& versions = supported_versions();
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

}  // namespace rocelane::cni
