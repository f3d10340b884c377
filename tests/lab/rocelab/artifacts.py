# SPDX-License-Identifier: Apache-2.0
"""Builds the lab's artifacts ahead of time: `python3 -m rocelab.artifacts [--list] [NAME…]`.

Owns the list of what there is. Without a NAME it builds what a lab with default options needs; `all`
builds everything.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from rocelab import cache, disk, gobuild, images, kernel, progress, rootfs
from rocelab.errors import LabError

DEFAULT_KERNEL = "per-netns"
DEFAULT_CONTAINERD = "2"

# Built by themselves in a second thread while Debian pieces download, then the images that need both.
_COMPILED, _FETCHED, _COMBINED = range(3)


@dataclass(frozen=True)
class _Artifact:
    stage: int
    default: bool
    get: Callable[[], Path]


def _table() -> dict[str, _Artifact]:
    found: dict[str, _Artifact] = {}
    for name in gobuild.PROGRAMS:
        found[name] = _Artifact(_COMPILED, name not in gobuild.ON_DEMAND, lambda name=name: gobuild.get(name))
    for kind in kernel.KINDS:
        found[f"kernel-{kind}"] = _Artifact(
            _FETCHED, kind == DEFAULT_KERNEL, lambda kind=kind: kernel.get(kind).vmlinuz
        )
    found["debian"] = _Artifact(_FETCHED, True, rootfs.base)
    for name in images.RECIPES:
        found[name] = _Artifact(_FETCHED, True, lambda name=name: images.get(name))
    for variant in rootfs.CONTAINERD_VARIANTS:
        default = variant == DEFAULT_CONTAINERD
        found[f"node-disk-{variant}"] = _Artifact(_COMBINED, default, lambda variant=variant: disk.template(variant))
        for kind in kernel.KINDS:
            found[f"image-{kind}-{variant}"] = _Artifact(
                _COMBINED,
                default and kind == DEFAULT_KERNEL,
                lambda kind=kind, variant=variant: rootfs.get(kind, variant),
            )
    return found


def build(names: Iterable[str]) -> dict[str, Path]:
    """Builds the named artifacts, compiling and fetching at the same time, and returns where they are."""
    table = _table()
    wanted = {name: table[name] for name in table if name in set(names)}
    paths: dict[str, Path] = {}
    guard = threading.Lock()

    def work(stage: int) -> None:
        for name, item in wanted.items():
            if item.stage == stage and not failed.is_set():
                path = item.get()
                with guard:
                    paths[name] = path

    failed = threading.Event()
    with ThreadPoolExecutor(max_workers=2) as pool:
        pending = [pool.submit(work, stage) for stage in (_COMPILED, _FETCHED)]
        try:
            for ended in wait(pending, return_when=FIRST_EXCEPTION).done:
                ended.result()
        except BaseException:
            failed.set()
            cache.end_children()
            raise
    work(_COMBINED)
    return paths


def default_names() -> list[str]:
    """What a lab with default options needs."""
    return [name for name, item in _table().items() if item.default]


def main(arguments: list[str]) -> int:
    """The command line."""
    table = _table()
    parser = argparse.ArgumentParser(prog="rocelab.artifacts", description="Builds what the lab is made from.")
    parser.add_argument("--list", action="store_true", help="print the names, those of the default set with a *")
    parser.add_argument("names", metavar="NAME", nargs="*", help="artifacts, or `all`; the default set without one")
    options = parser.parse_args(arguments)
    if options.list:
        for name, item in table.items():
            print(f"{'*' if item.default else ' '} {name}")
        return 0
    unknown = [name for name in options.names if name != "all" and name not in table]
    if unknown:
        parser.error(f"no artifact {', '.join(unknown)}; see --list")
    names = list(table) if "all" in options.names else options.names or default_names()
    begin = time.monotonic()
    try:
        paths = build(names)
    except LabError as error:
        print(error, file=sys.stderr)
        return 1
    for name, path in paths.items():
        print(f"{name} {path}")
    progress.say("artifacts", f"{len(paths)} ready in {time.monotonic() - begin:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
