# SPDX-License-Identifier: Apache-2.0
"""Owns running commands inside nodes: ssh over the node network, one kept connection per node."""

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

from rocelab import netns, tool
from rocelab.layout import Layout
from rocelab.options import Description

_HOST_KEY_ALIAS = "lab"
# A dead VM is noticed after interval times count.
_ALIVE_INTERVAL_SECONDS = 5
_ALIVE_COUNT = 4
_CONNECT_SECONDS = 15


def create_keys(state: Layout, lab: Description) -> None:
    """Makes the lab's host key and user key, and the ssh configuration that uses them."""
    directory = state.ssh
    directory.mkdir(parents=True, exist_ok=True)
    directory.chmod(0o700)
    for name in ("host_key", "user_key"):
        tool.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", directory / name])
    host_key = (directory / "host_key.pub").read_text(encoding="ascii")
    (directory / "known_hosts").write_text(f"{_HOST_KEY_ALIAS} {host_key}", encoding="ascii")
    (directory / "config").write_text(_configuration(directory, lab), encoding="utf-8")


def _configuration(directory: Path, lab: Description) -> str:
    lines = []
    for index, node in enumerate(lab.nodes):
        # The socket's path is relative to the state directory, where every ssh is started.
        lines += [f"Host {node}", f"  HostName {netns.node_address(index)}", f"  ControlPath ssh/{node}"]
    lines += [
        "Host *",
        "  User root",
        f"  IdentityFile {shlex.quote(str(directory / 'user_key'))}",
        "  IdentitiesOnly yes",
        f"  HostKeyAlias {_HOST_KEY_ALIAS}",
        f"  UserKnownHostsFile {shlex.quote(str(directory / 'known_hosts'))}",
        "  StrictHostKeyChecking yes",
        "  ControlMaster auto",
        "  ControlPersist yes",
        "  LogLevel ERROR",
        f"  ConnectTimeout {_CONNECT_SECONDS}",
        f"  ServerAliveInterval {_ALIVE_INTERVAL_SECONDS}",
        f"  ServerAliveCountMax {_ALIVE_COUNT}",
        "  EscapeChar none",
    ]
    return "\n".join(lines) + "\n"


class Shell:
    """Commands inside one node."""

    def __init__(self, state: Layout, lab: Description, node: str) -> None:
        self._state = state
        self._namespace = netns.Netns(lab.netns)
        self._node = node

    @property
    def directory(self) -> Path:
        """Where command() has to be started."""
        return self._state.directory

    def command(self, words: Sequence[str], *, terminal: bool = False) -> list[str]:
        """The command line that runs `words` in the node, word for word; none: a login shell."""
        remote = ["--", shlex.join(words)] if words else []
        return self._ssh(["-t"] if terminal else ["-T"], remote)

    def run(self, words: Sequence[str], **options: object) -> subprocess.CompletedProcess:
        """Runs a command in the node; the options are those of subprocess.run."""
        if options.get("input") is None:
            options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run(self.command(words), cwd=self.directory, check=False, **options)

    def replace(self, words: Sequence[str], *, terminal: bool) -> None:
        """Turns this very process into the command: its exit code and streams are the command's."""
        command = self.command(words, terminal=terminal)
        os.chdir(self.directory)
        os.execvp(command[0], command)

    def disconnect(self) -> None:
        """Drops the kept connection: before its node goes down, for it would hang."""
        subprocess.run(self._ssh(["-O", "exit"], []), cwd=self.directory, capture_output=True, check=False)
        (self._state.ssh / self._node).unlink(missing_ok=True)

    def _ssh(self, options: list[str], remote: list[str]) -> list[str]:
        return self._namespace.command(
            [tool.find("ssh"), "-F", "ssh/config", *options, self._node, *remote],
        )
