# SPDX-License-Identifier: Apache-2.0
"""Owns where a lab's files lie in its state directory."""

import os
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
GUEST_FILES = CHECKOUT / "tests" / "lab" / "guest"


def default_directory() -> Path:
    """$ROCELANE_LAB_DIR, or .lab in the checkout."""
    return Path(os.environ.get("ROCELANE_LAB_DIR") or CHECKOUT / ".lab").absolute()


class Layout:
    """Paths under one state directory. Those of unix sockets are relative to a directory that the
    user of the socket works in: the kernel allows 107 bytes for the path of a socket (unix(7))."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        # Beside the record of the lab and not removed with it: two commands at once must meet here.
        self.lock = directory / "lock"
        self.journal = directory / "record"
        self.description = directory / "lab.json"
        self.logs = directory / "logs"
        self.pki = directory / "pki"
        self.control_plane = directory / "control-plane"
        self.admin_kubeconfig = self.pki / "admin.kubeconfig"
        # A link to the program that fits this control plane.
        self.kubectl = self.control_plane / "kubectl"
        self.switch = directory / "switch"
        self.ssh = directory / "ssh"

    def transient(self) -> list[Path]:
        """What goes with the lab: everything but the record that leads its clean-up, the lock and the logs."""
        nodes = sorted(self.directory.glob("node[0-9]*"))
        # The description's other name: where options.save() was killed.
        partial = self.description.with_suffix(".new")
        return [self.description, partial, self.pki, self.control_plane, self.switch, self.ssh, *nodes]

    def log(self, name: str) -> Path:
        """The log of a process on the host."""
        return self.logs / f"{name}.log"

    def node(self, name: str) -> Path:
        """Everything of one node: disk, sockets, share."""
        return self.directory / name

    def share(self, name: str) -> Path:
        """The directory that the node sees as /share."""
        return self.node(name) / "share"

    def node_logs(self, name: str) -> Path:
        """The logs that a node writes itself; they outlive it here."""
        return self.logs / name

    def data_disk(self, name: str) -> Path:
        """The node's persistent disk."""
        return self.node(name) / "data.img"
