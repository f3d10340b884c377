# SPDX-License-Identifier: Apache-2.0
"""Owns the lab's network namespace: the bridge that is the node network, one tap per VM, the routes to
the pods. Everything the lab runs lives in it, so nothing listens on the host."""

import os
from collections.abc import Sequence
from pathlib import Path

from rocelab import process, tool
from rocelab.errors import LabError
from rocelab.journal import Entry, PROCESS, boot_id

HOST_ADDRESS = "192.168.77.1"
_PREFIX = 24
_BRIDGE = "nodes"
_DIRECTORY = Path("/run/netns")


def node_address(index: int) -> str:
    """The address of a node on the node network."""
    return f"192.168.77.{10 + index}"


def pod_subnet(index: int) -> str:
    """The subnet that a node's pods get their addresses from."""
    return f"10.244.{index}.0/24"


def tap_name(index: int) -> str:
    """The tap of a node's network card on the node network."""
    return f"tap{index}"


class Netns:
    """A named network namespace."""

    def __init__(self, name: str) -> None:
        self.name = name

    def exists(self) -> bool:
        """Whether the name is there."""
        return (_DIRECTORY / self.name).exists()

    def command(self, words: Sequence[str | Path]) -> list[str]:
        """The command line that runs `words` inside. nsenter and not `ip netns exec`: that one makes a
        mount namespace too, which would hold other labs' namespaces alive."""
        return ["nsenter", f"--net={_DIRECTORY / self.name}", "--", *(str(word) for word in words)]

    def create(self, nodes: int) -> None:
        """Makes the namespace with its bridge and a tap for each node."""
        _ip("netns", "add", self.name)
        lines = [
            "link set lo up",
            # No forwarding delay: a tap must carry frames as soon as its VM is there.
            f"link add {_BRIDGE} type bridge stp_state 0 forward_delay 0",
            f"address add {HOST_ADDRESS}/{_PREFIX} dev {_BRIDGE}",
            f"link set {_BRIDGE} up",
        ]
        for index in range(nodes):
            tap = tap_name(index)
            lines += [f"link set {tap} master {_BRIDGE}", f"link set {tap} up"]
            lines += [f"route add {pod_subnet(index)} via {node_address(index)}"]
            # `ip -batch` cannot make a tap.
            _ip("-n", self.name, "tuntap", "add", tap, "mode", "tap")
        _ip("-n", self.name, "-batch", "-", stdin="\n".join(lines))

    def delete(self) -> None:
        """Ends whatever still runs inside and removes the name; nothing to do when it is gone."""
        if not self.exists():
            return
        process.end(self.members(), grace=2.0)
        _ip("netns", "delete", self.name)

    def members(self) -> list[Entry]:
        """The processes inside, known by the namespace they are in and never by their names."""
        try:
            identity = os.stat(_DIRECTORY / self.name)
        except OSError:
            return []
        found = []
        for directory in Path("/proc").iterdir():
            if not directory.name.isdigit():
                continue
            pid = int(directory.name)
            start = process.start_time(pid)
            try:
                theirs = os.stat(directory / "ns" / "net")
            except OSError:
                continue
            if start is not None and (theirs.st_dev, theirs.st_ino) == (identity.st_dev, identity.st_ino):
                found.append(Entry(PROCESS, f"in {self.name}", boot_id(), pid, start))
        return found


def _ip(*words: str, stdin: str | None = None) -> None:
    try:
        tool.run(["ip", *words], stdin=stdin)
    except LabError as error:
        raise LabError(
            str(error), remedy="the lab needs root and a kernel with network namespaces, bridge and tun"
        ) from error
