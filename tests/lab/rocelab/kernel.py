# SPDX-License-Identifier: Apache-2.0
"""Owns the kernels that nodes can boot: which packages they come from, and their initial RAM disks."""

import sys
from dataclasses import dataclass
from pathlib import Path

from rocelab import apt, cache, initrd

_RELEASE = "trixie"
_IMAGE_PREFIX = "linux-image-"


@dataclass(frozen=True)
class Kernel:
    """A bootable kernel. `modules` is its /usr/lib/modules/<version>, with depmod's files."""

    version: str
    vmlinuz: Path
    initrd: Path
    modules: Path


@dataclass(frozen=True)
class _Source:
    suite: str
    version: str


# Backports keep only their newest kernels, so the version is found, never named. Soft RoCE has sockets per
# network namespace from 7.1 on; the release's own kernel (6.12) has them in the initial namespace only.
KINDS: dict[str, _Source] = {
    "per-netns": _Source(f"{_RELEASE}-backports", r"[0-9][0-9.]*\+deb[0-9]+-amd64"),
    "init-netns": _Source(_RELEASE, r"6\.12\.[0-9.]+\+deb[0-9]+-amd64"),
}

# Hardware that no node has. Without them the node's image is half as large.
_UNUSED_MODULES = (
    "kernel/sound",
    "kernel/drivers/gpu",
    "kernel/drivers/media",
    "kernel/drivers/iio",
    "kernel/drivers/hid",
    "kernel/drivers/usb",
    "kernel/drivers/staging",
    "kernel/drivers/net/wireless",
    "kernel/drivers/net/usb",
    "kernel/drivers/isdn",
    "kernel/drivers/bluetooth",
    "kernel/net/bluetooth",
    "kernel/net/wireless",
    "kernel/net/mac80211",
)


def get(kind: str) -> Kernel:
    """The kernel of that kind; fetched when it is not in the cache."""
    source = KINDS.get(kind)
    if source is None:
        raise cache.BuildError(f"no kernel kind {kind!r}; there are {', '.join(KINDS)}")
    content_key = cache.key(source, sys.modules[__name__], initrd)
    home = cache.artifact(f"kernel-{kind}", content_key, lambda into: _build(source, into))
    version = (home / "version").read_text().strip()
    return Kernel(version, home / "vmlinuz", home / "initrd", home / "root/usr/lib/modules" / version)


def _build(source: _Source, into: Path) -> None:
    suite = apt.Suite(source.suite)
    suite.update()
    image = suite.newest(_IMAGE_PREFIX, source.version)
    version = image.removeprefix(_IMAGE_PREFIX)
    tree = into / "root"
    suite.unpack([image, *_parts(suite, image, version)], tree)
    modules = tree / "usr/lib/modules" / version
    if not modules.is_dir():
        (tree / "usr/lib/modules").mkdir(parents=True, exist_ok=True)
        (tree / "lib/modules" / version).rename(modules)
    _find_vmlinuz(tree, version).rename(into / "vmlinuz")
    for name in _UNUSED_MODULES:
        cache.remove_tree(modules / name)
    for left in ("boot", "lib", "usr/share", "usr/lib/linux"):
        cache.remove_tree(tree / left)
    # depmod and modprobe look for /lib/modules, which is a link on the node as well.
    (tree / "lib").symlink_to("usr/lib")
    cache.run(f"kernel-{version}", ["depmod", "-b", tree, version])
    initrd.make(into / "initrd", tree, version)
    (into / "version").write_text(f"{version}\n")


def _parts(suite: apt.Suite, image: str, version: str) -> list[str]:
    """The packages of the same version that an image is divided into (none for older kernels)."""
    found: list[str] = []
    for name in suite.dependencies(image):
        if name.endswith(f"-{version}") and name != image and name not in found:
            found.append(name)
            found += [part for part in _parts(suite, name, version) if part not in found]
    return found


def _find_vmlinuz(tree: Path, version: str) -> Path:
    for path in (tree / f"boot/vmlinuz-{version}", tree / "usr/lib/modules" / version / "vmlinuz"):
        if path.is_file() and not path.is_symlink():
            return path
    raise cache.BuildError(f"no vmlinuz in the packages of {version}")
