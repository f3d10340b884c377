# SPDX-License-Identifier: Apache-2.0
"""Owns the switch process that the nodes' emulated network cards hang on, and requests to it."""

import json
import os
import socket
from pathlib import Path
from typing import Any

from rocelab import layout, process
from rocelab.errors import LabError
from rocelab.journal import Journal
from rocelab.netns import Netns

PORTS_PER_NODE = 2
_NAME = "switch"
_PROGRAM = "rocelane-lab-switch"
_READY_SECONDS = 10.0
_REQUEST_SECONDS = 30.0


def ports(index: int) -> list[int]:
    """The ports that the fabric cards of a node hang on."""
    return [index * PORTS_PER_NODE + card for card in range(PORTS_PER_NODE)]


def program() -> Path:
    """$ROCELANE_LAB_SWITCH, or what the CMake target built."""
    named = os.environ.get("ROCELANE_LAB_SWITCH")
    if named:
        return Path(named).absolute()
    for preset in ("release", "debug"):
        path = layout.CHECKOUT / "build" / preset / "tests" / "lab" / "switch" / _PROGRAM
        if path.exists():
            return path
    raise LabError(
        f"{_PROGRAM} is not built",
        remedy=f"cmake --preset release && cmake --build --preset release --target {_PROGRAM}",
    )


def start(state: layout.Layout, journal: Journal, namespace: Netns, nodes: int) -> None:
    """Starts the switch and waits until all its sockets are bound."""
    state.switch.mkdir(parents=True, exist_ok=True)
    log = state.log(_NAME)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    # Paths relative to its working directory: a socket's path may have 107 bytes only.
    words = [program(), "--dir", ".", "--ports", str(nodes * PORTS_PER_NODE)]
    entry = process.spawn(journal, _NAME, namespace.command(words), log=log, cwd=state.switch)

    def ready() -> bool:
        return b"ready" in log.read_bytes().splitlines()

    process.wait_until(ready, entry=entry, seconds=_READY_SECONDS, what="`ready` line", log=log)


def request(state: layout.Layout, message: dict[str, Any]) -> dict[str, Any]:
    """One request to the control socket, one answer."""
    directory = os.open(state.switch, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_REQUEST_SECONDS)
            # Short whatever the directory is called.
            connection.connect(f"/proc/self/fd/{directory}/control")
            connection.sendall(json.dumps(message).encode() + b"\n")
            line = connection.makefile("rb").readline()
    except OSError as error:
        raise LabError(f"the switch does not answer: {error}", log=state.log(_NAME)) from error
    finally:
        os.close(directory)
    if not line:
        raise LabError("the switch closed the connection without an answer", log=state.log(_NAME))
    return json.loads(line)
