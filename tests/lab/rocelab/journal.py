# SPDX-License-Identifier: Apache-2.0
"""Owns the record of what a lab has put on this machine: processes and network namespaces.

An entry is written before the thing it names exists (a process waits at a gate until its entry is
there), so clean-up from the record finds everything, whenever the writer was killed. Entries are only
appended; the record is removed once everything in it is gone.
"""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One thing. `boot` is the machine's boot id: after a reboot the pid means somebody else."""

    kind: str
    name: str
    boot: str
    pid: int = 0
    start: int = 0


PROCESS = "process"
NETNS = "netns"


def boot_id() -> str:
    """The id of this machine's present boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()


class Journal:
    """The record file of one lab."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def exists(self) -> bool:
        """Whether anything was ever recorded and not cleaned up since."""
        return self.path.exists()

    def add_process(self, name: str, pid: int, start: int) -> Entry:
        """Records a process that is about to become `name`."""
        return self._append(Entry(PROCESS, name, boot_id(), pid, start))

    def add_netns(self, name: str) -> Entry:
        """Records a network namespace that is about to be created."""
        return self._append(Entry(NETNS, name, boot_id()))

    def entries(self) -> list[Entry]:
        """Everything recorded in this boot, oldest first. A last line cut short by a kill is skipped:
        the thing it was about to name was never let through the gate."""
        if not self.path.exists():
            return []
        present = boot_id()
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                entry = Entry(**json.loads(line))
            except (json.JSONDecodeError, TypeError):
                continue
            if entry.boot == present:
                found.append(entry)
        return found

    def find_process(self, name: str) -> Entry | None:
        """The latest process recorded under the name."""
        matches = [entry for entry in self.entries() if entry.kind == PROCESS and entry.name == name]
        return matches[-1] if matches else None

    def _append(self, entry: Entry) -> Entry:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        # The leading newline ends a line that a killed writer left unfinished.
        with open(self.path, "a", encoding="utf-8") as handle:
            handle.write("\n" + json.dumps(entry.__dict__) + "\n")
        return entry
