# SPDX-License-Identifier: Apache-2.0
"""Owns asking the lab's API server, with kubectl as administrator from inside the lab's namespace."""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rocelab.netns import Netns


_PATIENCE = "--request-timeout=15s"


@dataclass(frozen=True)
class NodeState:
    """What the API server knows of a node."""

    ready: bool
    boot_id: str


class Kubectl:
    """kubectl with the lab's admin kubeconfig."""

    def __init__(self, namespace: Netns, program: Path, kubeconfig: Path) -> None:
        self._namespace = namespace
        self._program = program
        self._kubeconfig = kubeconfig

    def command(self, words: Sequence[str]) -> list[str]:
        """The whole command line."""
        return self._namespace.command([self._program, f"--kubeconfig={self._kubeconfig}", *words])

    def run(self, words: Sequence[str], **options: Any) -> subprocess.CompletedProcess:
        """Runs kubectl; the options are those of subprocess.run."""
        if "capture_output" not in options:
            options.setdefault("stdout", subprocess.PIPE)
            options.setdefault("stderr", subprocess.PIPE)
        if options.get("input") is None:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self.command(words), text=True, check=False, **options)

    def is_ready(self) -> bool:
        """Whether the API server says that it is ready."""
        done = self.run([_PATIENCE, "get", "--raw", "/readyz"])
        return done.returncode == 0 and done.stdout.strip() == "ok"

    def node_states(self) -> dict[str, NodeState]:
        """The registered nodes by name; empty while the API server does not answer."""
        done = self.run([_PATIENCE, "get", "--raw", "/api/v1/nodes"])
        if done.returncode != 0:
            return {}
        return {item["metadata"]["name"]: _node_state(item) for item in json.loads(done.stdout)["items"]}


def _node_state(item: dict[str, Any]) -> NodeState:
    status = item.get("status", {})
    condition = next((c for c in status.get("conditions", []) if c["type"] == "Ready"), {})
    return NodeState(
        ready=condition.get("status") == "True",
        boot_id=status.get("nodeInfo", {}).get("bootID", ""),
    )
