# SPDX-License-Identifier: Apache-2.0
"""Owns starting, watching and ending the lab's long-running processes.

A process is known by pid and start time together, so a reused pid is never signalled.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from rocelab.errors import LabError
from rocelab.journal import Entry, Journal

# The gate: the child waits for one line before it becomes the program. When the lab's own process dies
# before it has recorded the child, the pipe closes and the child ends.
_GATE = 'read -r word && [ "$word" = go ] && exec "$@" </dev/null'
_POLL_SECONDS = 0.05


def start_time(pid: int) -> int | None:
    """Field 22 of /proc/PID/stat (proc(5)); None when the process is gone or a zombie."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # The second field is the program's name in parentheses and may contain spaces.
    fields = text[text.rindex(")") + 2 :].split()
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(entry: Entry | None) -> bool:
    """Whether that very process still runs."""
    return entry is not None and start_time(entry.pid) == entry.start


def uptime(entry: Entry) -> float:
    """Seconds since the process was started."""
    since_boot = float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    return since_boot - entry.start / os.sysconf("SC_CLK_TCK")


def spawn(journal: Journal, name: str, command: Sequence[str | Path], *, log: Path, cwd: Path) -> Entry:
    """Starts a process in a session of its own, recorded before it runs; its output goes to `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as output:
        child = subprocess.Popen(
            ["/bin/sh", "-c", _GATE, "lab-gate", *(str(word) for word in command)],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            cwd=cwd,
            start_new_session=True,
        )
    start = start_time(child.pid)
    if start is None or child.stdin is None:
        raise LabError(f"{name} ended before it began", log=log)
    entry = journal.add_process(name, child.pid, start)
    child.stdin.write(b"go\n")
    child.stdin.close()
    return entry


def wait_until(
    ready: Callable[[], bool], *, entry: Entry, seconds: float, what: str, log: Path, interval: float = _POLL_SECONDS
) -> None:
    """Polls `ready`; fails at once when the process ends first."""
    deadline = time.monotonic() + seconds
    while not ready():
        if not is_alive(entry):
            raise LabError(f"{entry.name} ended while the lab waited for {what}", log=log)
        if time.monotonic() > deadline:
            raise LabError(f"{entry.name}: no {what} after {seconds:.0f} s", log=log)
        time.sleep(interval)


def wait_gone(entry: Entry, seconds: float) -> bool:
    """Waits for the process to end; False when it is still there afterwards."""
    deadline = time.monotonic() + seconds
    while is_alive(entry):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def end(entries: Iterable[Entry], *, grace: float = 5.0) -> None:
    """Ends the processes: SIGTERM to all, SIGKILL after `grace` seconds (at once with 0)."""
    left = [entry for entry in entries if is_alive(entry)]
    if grace > 0:
        for entry in left:
            _signal(entry, signal.SIGTERM)
        deadline = time.monotonic() + grace
        left = [entry for entry in left if not wait_gone(entry, deadline - time.monotonic())]
    for entry in left:
        _signal(entry, signal.SIGKILL)
    for entry in left:
        if not wait_gone(entry, 10.0):
            raise LabError(f"process {entry.pid} ({entry.name}) does not end, not even by SIGKILL")


def _signal(entry: Entry, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(entry.pid)
        try:
            # The pidfd is taken first: it names whoever has the pid now, and this checks who that is.
            if is_alive(entry):
                signal.pidfd_send_signal(handle, number)
        finally:
            os.close(handle)
