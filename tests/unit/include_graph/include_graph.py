# SPDX-License-Identifier: Apache-2.0
"""Owns the rules on who may include whom in this repository, and finds the includes that break them.

    include_graph.py ROOT      prints FILE:LINE: RULE for each violation; exit 1 if there are any
"""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("cni", "device-plugin", "node-agent", "rocectl")
TREES = (*PROGRAMS, "lib", "tests")
SUFFIXES = (".h", ".hpp", ".cpp", ".cc")

# What each folder of lib/ may include besides itself. Arrows point down only:
# programs -> attachment -> protocols -> rdma -> edges -> base.
_EDGES = {"netlink", "netns", "sysfs", "verbs"}
_DOMAIN = {"base", "rdma", *_EDGES}
LIBRARIES = {
    "base": set(),
    "json": {"base"},
    **{edge: {"base"} for edge in _EDGES},
    "rdma": {"base", *_EDGES},
    "state": {*_DOMAIN, "json"},
    "config": {*_DOMAIN, "json"},
    "kube": {*_DOMAIN, "json"},
    "kubelet": _DOMAIN,
    "cni": {*_DOMAIN, "json", "config"},
    # The steps that attach and release a device, shared by the CNI program and the agent's sweep.
    "attachment": {*_DOMAIN, "cni", "config", "state"},
}

_JSON_LIBRARIES = ("cni", "state", "config", "kube", "json")
_INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<path>[^">]+)[">]')
_GRPC = re.compile(r"^(grpc|grpcpp|google/protobuf)/|\.pb\.h$")
_VERBS = re.compile(r"^infiniband/|^rdma/rdma_(cma|verbs)\.h$")
_NETLINK = re.compile(r"^netlink/")
_JSON = re.compile(r"^nlohmann/")
_HEAVY = re.compile(r"^(spdlog|fmt|CLI|asio|nlohmann)/|^asio\.hpp$")
_JSON_FORWARD = "nlohmann/json_fwd.hpp"


@dataclass(frozen=True)
class Include:
    """One include line."""

    file: Path  # relative to the root
    line: int
    path: str
    quoted: bool
    public: bool  # stands in a header that is in its target's header set

    @property
    def is_source(self) -> bool:
        return self.file.suffix in (".cpp", ".cc")

    def below(self, *folder: str) -> bool:
        return self.file.parts[: len(folder)] == folder


@dataclass(frozen=True)
class Violation:
    """An include that breaks a rule."""

    file: Path
    line: int
    rule: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}"


def public_headers(root: Path, tree: str) -> set[Path]:
    """The headers that rocelane_library(... HEADERS ...) lists below a tree."""
    headers = set()
    for script in (root / tree).rglob("CMakeLists.txt"):
        for block in re.findall(r"rocelane_library\(([^)]*)\)", script.read_text(encoding="utf-8")):
            listed = False
            for word in re.sub(r"#.*", "", block).split():
                if word.isupper():
                    listed = word == "HEADERS"
                elif listed:
                    headers.add(script.parent.relative_to(root) / word)
    return headers


def includes(root: Path) -> Iterator[Include]:
    for tree in TREES:
        public = public_headers(root, tree)
        for file in sorted((root / tree).rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file():
                continue
            relative = file.relative_to(root)
            for number, text in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
                if match := _INCLUDE.match(text):
                    yield Include(relative, number, match["path"], match["open"] == '"', relative in public)


def _internal(include: Include, root: Path) -> Iterator[str]:
    target = Path(include.path).parts
    if target[0] not in TREES:
        if include.quoted and not include.path.endswith(".pb.h"):
            yield f'"{include.path}" is not a path from the top of the repository'
        return
    if include.quoted and not (root / include.path).is_file():
        yield f'"{include.path}" does not exist'
    if include.below("tests"):
        return
    own = include.file.parts[0]
    if target[0] == "tests":
        yield f"{own} includes the tests"
    elif own == "lib":
        yield from _library(include, target)
    elif target[0] in PROGRAMS and target[0] != own:
        yield f"program {own} includes program {target[0]}"


def _library(include: Include, target: tuple[str, ...]) -> Iterator[str]:
    own = include.file.parts[1]
    if target[0] in PROGRAMS:
        yield f"lib/{own} includes program {target[0]}"
        return
    if own not in LIBRARIES:
        yield f"lib/{own} has no place in the layers: give it one in LIBRARIES of include_graph.py"
    elif target[1] != own and target[1] not in LIBRARIES[own]:
        yield f"lib/{own} includes lib/{target[1]}, which is not below it"


def _external(include: Include) -> Iterator[str]:
    if include.path.split("/")[0] in TREES:
        return
    tests = include.below("tests")
    if _NETLINK.match(include.path) and not (include.below("lib", "netlink") and include.is_source):
        yield f"<{include.path}>: libnl stays in lib/netlink/*.cpp"
    if _VERBS.match(include.path) and not (include.below("lib", "verbs") and include.is_source):
        yield f"<{include.path}>: ibverbs and librdmacm stay in lib/verbs/*.cpp"
    grpc_places = (("lib", "kubelet"), ("tests", "support"), ("tests", "unit", "kubelet"))
    grpc_place = any(include.below(*place) for place in grpc_places)
    if _GRPC.search(include.path) and (include.public or not grpc_place):
        yield f"<{include.path}>: gRPC stays in lib/kubelet, out of its public headers, and in its tests"
    json_place = include.below("lib") and include.file.parts[1] in _JSON_LIBRARIES
    if _JSON.match(include.path) and not (tests or json_place):
        yield f"<{include.path}>: JSON is parsed in lib/{{{','.join(_JSON_LIBRARIES)}}} only"
    if _HEAVY.match(include.path) and include.public and include.path != _JSON_FORWARD:
        yield f"<{include.path}>: public headers do not include {include.path.split('/')[0]}"


def violations(root: Path) -> list[Violation]:
    found = []
    for include in includes(root):
        for rule in (*_internal(include, root), *_external(include)):
            found.append(Violation(include.file, include.line, rule))
    return found


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(sys.argv[1])
    if not any(True for _ in includes(root)):
        print(f"{root}: no source file with an include", file=sys.stderr)
        return 2
    found = violations(root)
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
