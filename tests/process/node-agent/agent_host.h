// SPDX-License-Identifier: Apache-2.0
// AgentHost: the directories of a host as one agent sees them, all temporary, and the flags that
// point the agent there. Its "image" has two harmless programs under the names it installs.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "lib/base/file.h"
#include "lib/base/subprocess.h"
#include "tests/support/fake_sysfs.h"
#include "tests/support/program_under_test.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace rocelane::test {

class AgentHost {
 public:
  static constexpr const char* kProviders =
      R"({"cniVersion":"1.0.0","name":"k8s","plugins":[{"type":"bridge","mtu":1500}]})";

  AgentHost() {
    for (const char* directory : {"image", "state", "bin", "net.d", "config"}) {
      ROCELANE_CHECK(make_directories(root_ / directory).ok());
    }
    for (const char* name : {"roce-cni", "roce-oci-hook"}) {
      std::filesystem::copy_file(program_under_test(ROCELANE_OCI_HOOK),
                                 root_ / "image/" + std::string(name));
    }
  }

  [[nodiscard]] std::string path(const std::string& name) const { return root_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    // A sanitized program is larger than what read_file() takes.
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write(const std::string& name, std::string_view text) const {
    ROCELANE_CHECK(write_file_atomic(path(name), text, Durability::kRename).ok());
  }

  // As kubelet updates a ConfigMap volume: a new directory, and a symbolic link swapped to it.
  void publish_config(std::string_view text) {
    const std::string version = "..v" + std::to_string(++version_);
    ROCELANE_CHECK(make_directories(path("config/" + version)).ok());
    write("config/" + version + "/config.json", text);
    std::filesystem::create_symlink(version, path("config/..data_tmp"));
    std::filesystem::rename(path("config/..data_tmp"), path("config/..data"));
    if (!std::filesystem::exists(path("config/config.json"))) {
      std::filesystem::create_symlink("..data/config.json", path("config/config.json"));
    }
  }

  [[nodiscard]] std::string program() const { return program_under_test(ROCELANE_NODE_AGENT); }
  [[nodiscard]] std::vector<std::string> flags(std::vector<std::string> more = {}) const {
    std::vector<std::string> flags{"--config",       path("config/config.json"),
                                   "--state-dir",    path("state"),
                                   "--sysfs",        sysfs.root(),
                                   "--cni-bin-dir",  path("bin"),
                                   "--cni-conf-dir", path("net.d"),
                                   "--bin-source",   path("image"),
                                   "--node-name",    "node0"};
    flags.insert(flags.end(), more.begin(), more.end());
    return flags;
  }
  [[nodiscard]] SubprocessOutcome call(std::vector<std::string> more) const {
    auto outcome = run_subprocess(
        {.path = program(), .arguments = flags(std::move(more)), .environment = {}, .input = ""});
    ROCELANE_CHECK(outcome.ok());
    return *outcome;
  }

  FakeSysfs sysfs;

 private:
  TempDir root_;
  int version_ = 0;
};

}  // namespace rocelane::test
