# SPDX-License-Identifier: Apache-2.0
"""Owns short commands run on the host: their errors become sentences, and they die with the lab."""

import ctypes
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from rocelab.errors import LabError

_SETUP = "run scripts/setup"
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def find(name: str) -> str:
    """The path of a program that scripts/setup installs; /usr/sbin may not be in a user's PATH."""
    found = shutil.which(name) or shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin")
    if found is None:
        raise LabError(f"{name} is not installed", remedy=_SETUP)
    return found


def die_with_parent() -> None:
    """For preexec_fn: a killed lab command leaves no half-done helper running."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def run(command: Sequence[str | Path], *, cwd: Path | None = None, stdin: str | None = None) -> str:
    """Runs a command to its end and returns its standard output."""
    words = [str(word) for word in command]
    done = subprocess.run(
        [find(words[0]), *words[1:]],
        input=stdin,
        stdin=None if stdin is not None else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
        preexec_fn=die_with_parent,
    )
    if done.returncode != 0:
        raise LabError(f"`{' '.join(words)}` exited with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout
