# SPDX-License-Identifier: Apache-2.0
"""Owns the cache: where artifacts lie, when they are rebuilt, and that only one process builds each.

An artifact is a directory named by its kind and by a hash of everything it is made from. It is built
in a directory beside it and renamed into place, so whoever finds it finds it whole. Changing an input
changes the name: nothing is ever updated in place.
"""

import contextlib
import fcntl
import hashlib
import inspect
import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType

from rocelab import progress
from rocelab.errors import LabError

# How much of a failed command's output goes into the error; the whole of it stays in the log file.
_ERROR_TAIL_LINES = 25
_UNUSED_SECONDS = 30 * 24 * 3600


class BuildError(LabError):
    """An artifact could not be made. The message is for a person."""


def root() -> Path:
    """The cache's directory, created on first use: $ROCELANE_CACHE or ~/.cache/rocelane."""
    path = Path(os.environ.get("ROCELANE_CACHE") or Path.home() / ".cache" / "rocelane").absolute()
    path.mkdir(parents=True, exist_ok=True)
    return path


def subdir(name: str) -> Path:
    """A directory in the cache for downloads that have names of their own (Go modules, packages)."""
    path = root() / name
    path.mkdir(parents=True, exist_ok=True)
    return path


def key(*inputs: object) -> str:
    """A short hash of inputs. A module stands for its source, a path for the bytes of that file."""
    digest = hashlib.sha256()
    for item in inputs:
        if isinstance(item, ModuleType):
            text = inspect.getsource(item).encode()
        elif isinstance(item, Path):
            text = item.read_bytes()
        else:
            text = repr(item).encode()
        digest.update(b"%d:" % len(text) + text)
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def lock(name: str) -> Iterator[None]:
    """Holds the named lock against every other thread and process that shares the cache."""
    with open(subdir("locks") / name, "w", encoding="ascii") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.step(name, "waiting for another process that is building it"):
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def path_of(kind: str, content_key: str) -> Path:
    """Where the artifact is, or will be."""
    return root() / "artifacts" / f"{kind}-{content_key}"


def artifact(kind: str, content_key: str, build: Callable[[Path], None]) -> Path:
    """The artifact's directory. When there is none yet, `build` fills an empty one that becomes it."""
    final = path_of(kind, content_key)
    if final.is_dir():
        os.utime(final)
        return final
    with lock(final.name):
        if final.is_dir():
            return final
        partial = subdir("artifacts") / f".{final.name}.partial"
        # Left by a build that was killed: the lock says that nobody is at work on it.
        remove_tree(partial)
        partial.mkdir()
        with progress.step(kind, "building"):
            build(partial)
        partial.rename(final)
    _remove_unused(kind)
    return final


def _remove_unused(kind: str) -> None:
    """Removes artifacts of the kind that no recipe has asked for in a long time."""
    for path in (root() / "artifacts").iterdir():
        if re.fullmatch(rf"{re.escape(kind)}-[0-9a-f]{{16}}", path.name):
            with contextlib.suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _UNUSED_SECONDS:
                    shutil.rmtree(path, ignore_errors=True)


def remove_tree(path: Path) -> None:
    """Removes a directory if it is there."""
    if path.exists():
        shutil.rmtree(path)


def run(
    subject: str,
    command: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: bytes | None = None,
) -> str:
    """Runs a command, its output into logs/<subject>.log, and returns its standard output."""
    words = [str(word) for word in command]
    log = subdir("logs") / f"{subject}.log"
    with open(log, "ab") as handle:
        handle.write(f"$ {' '.join(words)}\n".encode())
        handle.flush()
        try:
            child = subprocess.Popen(
                words,
                stdin=subprocess.PIPE if stdin is not None else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=handle,
                env={**os.environ, **(env or {})},
                cwd=cwd,
            )
        except OSError as error:
            raise BuildError(f"{subject}: {words[0]} cannot be run ({error}); run scripts/setup") from error
        with _ended(child):
            output, _ = child.communicate(stdin)
        handle.write(output)
    if child.returncode != 0:
        tail = log.read_text(errors="replace").splitlines()[-_ERROR_TAIL_LINES:]
        raise BuildError(
            f"{subject}: `{' '.join(words)}` exited with {child.returncode}; the end of {log}:\n"
            + "\n".join(f"  {line}" for line in tail)
        )
    return output.decode(errors="replace")


_children_guard = threading.Lock()
_children: set[subprocess.Popen] = set()


@contextlib.contextmanager
def _ended(child: subprocess.Popen) -> Iterator[None]:
    """Keeps the child findable for end_children(), and never leaves it behind."""
    with _children_guard:
        _children.add(child)
    try:
        yield
    finally:
        with _children_guard:
            _children.discard(child)
        if child.poll() is None:
            child.terminate()
            child.wait()


def end_children() -> None:
    """Terminates every command that run() has under way, in whatever thread: for an interrupted main."""
    with _children_guard:
        for child in _children:
            child.terminate()
