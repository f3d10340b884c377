# SPDX-License-Identifier: Apache-2.0
"""Owns the interface that tests use: a lab that is up, its nodes, its cluster and its switch.

    lab = Lab.attach()
    lab.node("node0").run(["ip", "-br", "link"])
    lab.apply(yaml)
    lab.wait_for(lambda: lab.kubectl("get", "pod", "a", "-o", "name", check=False).returncode == 0, 60)
"""

import concurrent.futures
import contextlib
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from rocelab import lifecycle, options, switch
from rocelab.errors import LabError
from rocelab.journal import Journal
from rocelab.layout import Layout, default_directory
from rocelab.machine import Machine
from rocelab.options import Description
from rocelab.shell import Shell

_T = TypeVar("_T")
_IMAGE_SECONDS = 300.0
_OUTPUT_TAIL = 3000


class CommandError(LabError):
    """A command that had to succeed did not; `result` has its whole output."""

    def __init__(self, where: str, result: subprocess.CompletedProcess) -> None:
        self.result = result
        text = f"{where}: exit code {result.returncode} of {result.args}"
        for name, stream in (("stdout", result.stdout), ("stderr", result.stderr)):
            if stream:
                text += f"\n{name}: {str(stream)[-_OUTPUT_TAIL:]}"
        super().__init__(text)


class Node:
    """One node of a lab."""

    def __init__(self, state: Layout, lab: Description, name: str) -> None:
        self.name = name
        self.index = lab.nodes.index(name)
        self.switch_ports = switch.ports(self.index)
        self.shell = Shell(state, lab, name)
        self.machine = Machine(state, Journal(state.journal), lab, self.index)
        self._state = state
        self._lab = lab

    def run(
        self, words: Sequence[str], *, check: bool = True, timeout: float | None = None, input: str | None = None
    ) -> subprocess.CompletedProcess:
        """Runs a command in the node, output as text. At `timeout` seconds it is ended there too."""
        remote = list(words)
        if timeout is not None:
            remote = ["timeout", "--kill-after=5", f"{timeout:.1f}", *remote]
        # The connection gets some seconds more, to bring back what was printed until then.
        limit = None if timeout is None else timeout + 15
        result = self.shell.run(
            remote, input=input, capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=limit
        )
        result.args = list(words)
        if check and result.returncode != 0:
            raise CommandError(self.name, result)
        return result

    def script(self, text: str, *, check: bool = True, timeout: float | None = None) -> subprocess.CompletedProcess:
        """Runs a bash script in the node."""
        return self.run(["bash", "-euo", "pipefail", "-c", text], check=check, timeout=timeout)

    def put(self, source: Path | str, target: str) -> None:
        """Copies a file or directory so that `target` in the node is it, modes kept; its directory is made."""
        with self._inbox(Path(source)) as path:
            self.run(["mkdir", "-p", str(Path(target).parent)])
            self.run(["cp", "-a", "-T", path, target])

    def load_image(self, archive: Path | str) -> None:
        """Imports an image archive into the node's containerd, where kubelet finds it."""
        with self._inbox(Path(archive)) as path:
            self.run(["ctr", "-n", "k8s.io", "images", "import", path], timeout=_IMAGE_SECONDS)

    def control(self, action: str, service: str) -> None:
        """Supervisor actions on containerd, kubelet or sshd: start, stop, restart, kill."""
        self.run(["/share/guest/labctl", action, service], timeout=120)

    def reboot(self, *, power_cut: bool = False) -> None:
        """Restarts the node and returns when it is Ready again."""
        with lifecycle.exclusive(self._state):
            lifecycle.reboot(self._state, self._lab, [self.name], power_cut=power_cut)

    def cut_power(self) -> None:
        """Ends the VM at once and leaves it off; reboot() starts it again."""
        with lifecycle.exclusive(self._state):
            lifecycle.stop(self._state, self._lab, self.name, power_cut=True)

    def log(self, name: str) -> str:
        """A log of the node, also when its VM is dead: console, containerd, kubelet, init, …"""
        path = self._state.node_logs(self.name) / f"{name}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    @contextlib.contextmanager
    def _inbox(self, source: Path) -> Iterator[str]:
        """The source as a file of the share: a copy through it is much faster than one through ssh."""
        slot = self._state.share(self.name) / "inbox" / secrets.token_hex(6)
        slot.mkdir(parents=True)
        try:
            if source.is_dir():
                shutil.copytree(source, slot / source.name, symlinks=True)
            else:
                shutil.copy2(source, slot / source.name)
            yield f"/share/inbox/{slot.name}/{source.name}"
        finally:
            shutil.rmtree(slot, ignore_errors=True)


class Lab:
    """A lab that is up."""

    def __init__(self, state: Layout, description: Description) -> None:
        self.state = state
        self.description = description
        self.options = description.options
        self.nodes = [Node(state, description, name) for name in description.nodes]
        self._kubectl = lifecycle.kubectl(state, description)

    @classmethod
    def attach(cls, directory: Path | str | None = None) -> "Lab":
        """The lab in the directory; None: in $ROCELANE_LAB_DIR or the checkout's .lab."""
        state = Layout(Path(directory).absolute() if directory else default_directory())
        description = options.load(state.description)
        if description is None:
            raise LabError(f"no lab in {state.directory}", remedy="scripts/lab up")
        return cls(state, description)

    def node(self, name: str) -> Node:
        """The node of that name."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise LabError(f"no node {name}; there are {', '.join(self.description.nodes)}")

    def kubectl(
        self, *words: str, check: bool = True, input: str | None = None, timeout: float | None = None
    ) -> subprocess.CompletedProcess:
        """Runs kubectl as administrator, output as text."""
        result = self._kubectl.run(words, input=input, timeout=timeout)
        result.args = ["kubectl", *words]
        if check and result.returncode != 0:
            raise CommandError("kubectl", result)
        return result

    def kubectl_command(self, words: Sequence[str]) -> list[str]:
        """The command line of kubectl, to be run from anywhere on this machine."""
        return self._kubectl.command(words)

    def apply(self, yaml: str) -> None:
        """`kubectl apply` of the text."""
        self.kubectl("apply", "-f", "-", input=yaml)

    def wait_for(
        self, predicate: Callable[[], _T], timeout: float, *, what: str = "the condition", interval: float = 0.5
    ) -> _T:
        """Polls until the predicate gives something true, and returns that."""
        deadline = time.monotonic() + timeout
        while True:
            value = predicate()
            if value:
                return value
            if time.monotonic() > deadline:
                raise LabError(f"no {what} after {timeout:.0f} s", log=self.state.logs)
            time.sleep(interval)

    def reboot(self, nodes: Sequence[Node], *, power_cut: bool = False) -> None:
        """Restarts several nodes at the same time and returns when all are Ready again."""
        with lifecycle.exclusive(self.state):
            lifecycle.reboot(self.state, self.description, [node.name for node in nodes], power_cut=power_cut)

    def load_image(self, archive: Path | str) -> None:
        """Imports an image archive into every node's containerd, all at the same time."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(lambda node: node.load_image(archive), self.nodes))

    def switch(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request to the switch, its answer."""
        return switch.request(self.state, request)
