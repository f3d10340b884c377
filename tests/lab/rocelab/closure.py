# SPDX-License-Identifier: Apache-2.0
"""Owns finding which shared libraries programs need, on this machine or in an unpacked system."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from rocelab import cache

_HOST = Path("/")


def closure(programs: Iterable[str], root: Path = _HOST) -> dict[str, Path]:
    """The programs (absolute paths within `root`) and their libraries: path in an image → the file here.

    A static program needs no library. A library that cannot be found is an error.
    """
    files: dict[str, Path] = {}
    for program in programs:
        files[program] = resolve(program, root)
        for library in _libraries(program, root):
            files[library] = resolve(library, root)
    return files


def resolve(path: str, root: Path = _HOST) -> Path:
    """The file that `path` means inside `root`, following links as seen from there."""
    done = root
    pending = Path(path).parts[1:]
    for _ in range(64):
        if not pending:
            break
        here, pending = done / pending[0], pending[1:]
        if not here.is_symlink():
            done = here
            continue
        link = Path(os.readlink(here))
        if link.is_absolute():
            done, pending = root, (*link.parts[1:], *pending)
        else:
            pending = (*link.parts, *pending)
            while pending and pending[0] == "..":
                done, pending = done.parent if done != root else root, pending[1:]
    if pending or not done.is_file():
        raise cache.BuildError(f"no file {path} in {root}")
    return done


def _libraries(program: str, root: Path) -> list[str]:
    file = resolve(program, root)
    if b"/ld-linux" not in file.read_bytes()[:8192] and ".so" not in file.name:
        return []
    prefix = [] if root == _HOST else ["chroot", root]
    text = cache.run("closure", [*prefix, "ldd", program])
    missing = re.findall(r"^\s*(\S+) => not found", text, re.MULTILINE)
    if missing:
        raise cache.BuildError(f"{program} in {root}: no {', '.join(missing)}")
    return re.findall(r"(?:=> |^\s*)(/\S+) \(0x", text, re.MULTILINE)
