# SPDX-License-Identifier: Apache-2.0
"""Owns what can be chosen about a lab, and the lab's description on disk (lab.json)."""

import json
import os
import re
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path

from rocelab.errors import LabError

KERNELS = ("per-netns", "init-netns")
CONTAINERDS = ("2", "1.7")
RDMA_MODES = ("shared", "exclusive")
# One /24 for the nodes leaves room for more; memory does not: each VM takes its RAM.
MAX_NODES = 8


@dataclass(frozen=True)
class Options:
    """The choices of `up`."""

    nodes: int = 2
    kernel: str = "per-netns"
    containerd: str = "2"
    rdma_mode: str = "shared"
    feature_gates: dict[str, bool] = field(default_factory=dict)


def parse_feature_gates(text: str) -> dict[str, bool]:
    """Kubelet's own notation: A=true,B=false."""
    gates = {}
    for item in filter(None, text.split(",")):
        match = re.fullmatch(r"(\w+)=(true|false)", item)
        if match is None:
            raise LabError(f"feature gate {item!r} is not of the form Name=true or Name=false")
        gates[match[1]] = match[2] == "true"
    return gates


@dataclass(frozen=True)
class Description:
    """One lab: its random identity, what was chosen, and whether `up` came to its end."""

    identity: str
    options: Options
    complete: bool = False
    kernel_version: str = ""

    @property
    def netns(self) -> str:
        """The name of the lab's network namespace."""
        return f"rocelane-{self.identity}"

    @property
    def nodes(self) -> list[str]:
        """The names of the lab's nodes."""
        return [f"node{index}" for index in range(self.options.nodes)]


def new_identity() -> str:
    """Random, so that labs side by side never share a name or a MAC address."""
    return secrets.token_hex(4)


def save(path: Path, description: Description) -> None:
    """Writes the description so that a reader sees the old one or the new one, whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".new")
    partial.write_text(json.dumps(asdict(description), indent=1) + "\n", encoding="utf-8")
    os.replace(partial, path)


def load(path: Path) -> Description | None:
    """The description, or None when there is no lab."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    data["options"] = Options(**data["options"])
    return Description(**data)
