# SPDX-License-Identifier: Apache-2.0
"""Seeds one violation of each rule in a small tree and wants it found, with its file and line."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import include_graph

_SCRIPT = Path(include_graph.__file__)

# A tree that keeps every rule, near each limit.
_CLEAN = {
    "lib/base/error.h": "#include <string>\n",
    "lib/base/log.cpp": '#include "lib/base/error.h"\n#include <spdlog/spdlog.h>\n#include <fmt/format.h>\n',
    "lib/json/reader.h": "#include <nlohmann/json_fwd.hpp>\n",
    "lib/netlink/link.h": '#include "lib/base/error.h"\n',
    "lib/netlink/link.cpp": '#include "lib/netlink/link.h"\n#include <netlink/msg.h>\n#include <rdma/rdma_netlink.h>\n',
    "lib/verbs/device.cpp": "#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n",
    "lib/rdma/gid.h": '#include "lib/netlink/link.h"\n',
    "lib/config/config.cpp": '#include "lib/json/reader.h"\n#include <nlohmann/json.hpp>\n',
    "lib/config/config.h": '#include "lib/rdma/gid.h"\n',
    "lib/state/record.h": '#include "lib/base/error.h"\n',
    "lib/cni/net_conf.cpp": '#include "lib/config/config.h"\n',
    "lib/kubelet/plugin.h": '#include "lib/base/error.h"\n',
    "lib/kubelet/channel.h": "#include <grpcpp/channel.h>\n",
    "lib/kubelet/plugin.cpp": '#include "lib/kubelet/channel.h"\n#include <proto/device_plugin.grpc.pb.h>\n',
    "lib/kubelet/CMakeLists.txt": "rocelane_library(\n  kubelet\n  SOURCES plugin.cpp\n  HEADERS plugin.h # not channel.h\n  PUBLIC x)\n",
    "lib/attachment/attach.cpp": '#include "lib/cni/net_conf.h"\n#include "lib/state/record.h"\n',
    "lib/cni/net_conf.h": "// #include <fmt/format.h>\n",
    "cni/main.cpp": '#include "cni/add.h"\n#include "lib/attachment/attach.h"\n#include <CLI/CLI.hpp>\n',
    "cni/add.h": "#include <fmt/format.h>\n",
    "lib/attachment/attach.h": "",
    "tests/unit/cni/add_test.cpp": '#include "cni/add.h"\n#include <nlohmann/json.hpp>\n',
    "tests/support/fake_kubelet.cpp": "#include <grpcpp/server.h>\n",
    "node-agent/agent.cpp": '#include "lib/state/record.h"\n#include <asio.hpp>\n',
}

# What is appended to which file, and a part of the rule that must be named.
_SEEDED = [
    ("cni/add.h", '#include "node-agent/agent.h"', "program cni includes program node-agent"),
    ("node-agent/agent.cpp", '#include "cni/add.h"', "program node-agent includes program cni"),
    ("lib/state/record.h", '#include "cni/add.h"', "lib/state includes program cni"),
    ("lib/base/error.h", '#include "lib/netlink/link.h"', "lib/base includes lib/netlink"),
    ("lib/netlink/link.h", '#include "lib/rdma/gid.h"', "lib/netlink includes lib/rdma"),
    ("lib/rdma/gid.h", '#include "lib/json/reader.h"', "lib/rdma includes lib/json"),
    ("lib/config/config.h", '#include "lib/state/record.h"', "lib/config includes lib/state"),
    ("lib/kubelet/plugin.h", '#include "lib/state/record.h"', "lib/kubelet includes lib/state"),
    ("lib/kubelet/plugin.cpp", '#include "lib/json/reader.h"', "lib/kubelet includes lib/json"),
    ("lib/cni/net_conf.h", '#include "lib/attachment/attach.h"', "lib/cni includes lib/attachment"),
    ("lib/common/leftovers.h", '#include "lib/base/error.h"', "lib/common has no place"),
    ("lib/base/error.h", '#include "tests/support/fake_kubelet.cpp"', "lib includes the tests"),
    ("cni/add.h", '#include "tests/support/fake_kubelet.cpp"', "cni includes the tests"),
    ("lib/cni/net_conf.cpp", '#include "net_conf.h"', "not a path from the top"),
    ("lib/cni/net_conf.cpp", '#include "lib/base/gone.h"', "does not exist"),
    ("lib/rdma/gid.cpp", "#include <netlink/msg.h>", "libnl stays"),
    ("lib/netlink/link.h", "#include <netlink/msg.h>", "libnl stays"),
    ("lib/verbs/device.h", "#include <infiniband/verbs.h>", "ibverbs and librdmacm stay"),
    ("lib/rdma/gid.cpp", "  #  include <rdma/rdma_cma.h>", "ibverbs and librdmacm stay"),
    ("lib/kubelet/plugin.h", "#include <grpcpp/server.h>", "gRPC stays"),
    ("lib/state/record.h", "#include <google/protobuf/message.h>", "gRPC stays"),
    ("device-plugin/main.cpp", '#include "device_plugin.pb.h"', "gRPC stays"),
    ("tests/unit/cni/add_test.cpp", "#include <grpcpp/server.h>", "gRPC stays"),
    ("node-agent/agent.cpp", "#include <nlohmann/json.hpp>", "JSON is parsed in"),
    ("lib/kubelet/plugin.cpp", "#include <nlohmann/json.hpp>", "JSON is parsed in"),
    ("lib/kubelet/plugin.h", "#include <fmt/format.h>", "public headers do not include fmt"),
    ("lib/kubelet/plugin.h", "#include <spdlog/spdlog.h>", "public headers do not include spdlog"),
    ("lib/kubelet/plugin.h", "#include <CLI/CLI.hpp>", "public headers do not include CLI"),
    ("lib/kubelet/plugin.h", "#include <asio/io_context.hpp>", "public headers do not include asio"),
]


class Tree:
    """A repository in a temporary directory."""

    def __init__(self, directory: str) -> None:
        self.root = Path(directory)
        for name, content in _CLEAN.items():
            self.append(name, content)

    def append(self, name: str, content: str) -> int:
        """Returns the number of the first line of what was appended."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if path.exists() else ""
        path.write_text(before + content, encoding="utf-8")
        return before.count("\n") + 1


class IncludeGraph(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.tree = Tree(directory.name)

    def check(self) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, _SCRIPT, self.tree.root], capture_output=True, text=True, check=False
        )

    def test_a_clean_tree_passes(self) -> None:
        done = self.check()
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    def test_each_seeded_violation_is_found_where_it_is(self) -> None:
        for name, text, rule in _SEEDED:
            with self.subTest(file=name, include=text), tempfile.TemporaryDirectory() as directory:
                self.tree = Tree(directory)
                self.tree.append("node-agent/agent.h", "")
                line = self.tree.append(name, text + "\n")
                found = [str(violation) for violation in include_graph.violations(self.tree.root)]
                self.assertEqual(len(found), 1, found)
                self.assertTrue(found[0].startswith(f"{name}:{line}: "), found)
                self.assertIn(rule, found[0])

    def test_the_program_prints_violations_and_fails(self) -> None:
        line = self.tree.append("cni/add.h", '#include "node-agent/agent.cpp"\n')
        done = self.check()
        self.assertEqual(done.stdout, f"cni/add.h:{line}: program cni includes program node-agent\n")
        self.assertEqual(done.returncode, 1)

    def test_json_in_a_public_header_is_refused_but_for_the_forward_header(self) -> None:
        self.tree.append("lib/json/CMakeLists.txt", "rocelane_library(json SOURCES a.cpp HEADERS reader.h)\n")
        self.assertEqual(self.check().returncode, 0)
        self.tree.append("lib/json/reader.h", "#include <nlohmann/json.hpp>\n")
        self.assertIn("lib/json/reader.h:2: <nlohmann/json.hpp>: public headers", self.check().stdout)

    def test_an_empty_tree_is_an_error_and_not_a_success(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            self.tree.root = Path(directory)
            self.assertEqual(self.check().returncode, 2)


if __name__ == "__main__":
    unittest.main()
