# SPDX-License-Identifier: Apache-2.0
"""Owns the nodes' root file system: the Debian tree, and the disk images made from it.

Everything big (kubelet, containerd, CNI plugins, kernel modules) is in the read-only image that all nodes
share, so that a boot copies nothing. What a node keeps over a reboot is on a disk of its own, not here.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from rocelab import apt, cache, gobuild, kernel

_RELEASE = "trixie"

_PACKAGES = (
    # network and RDMA tools
    *("iproute2", "ethtool", "tcpdump", "iputils-ping", "socat", "nftables", "iptables", "conntrack"),
    *("rdma-core", "ibverbs-providers", "ibverbs-utils", "rdmacm-utils", "perftest", "pciutils"),
    # the node's own services; containerd here is the 1.7 variant
    *("udev", "kmod", "openssh-server", "containerd", "runc", "ca-certificates", "e2fsprogs"),
    # for people and tests inside a node
    *("procps", "jq", "strace", "busybox-static"),
)

# Only read by people, who have them elsewhere.
_UNUSED = (
    *("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "usr/share/lintian"),
    *("var/cache/apt", "var/lib/apt/lists", "var/cache/debconf"),
)

CONTAINERD_VARIANTS = ("2", "1.7")
_PACKAGED_CONTAINERD = ("containerd", "containerd-shim", "containerd-shim-runc-v1", "containerd-shim-runc-v2", "ctr")

_PROGRAMS = Path("usr/local/bin")
_CNI_PLUGINS = Path("opt/cni/bin")

_IMAGE_SPARE_MIB = 64


def base() -> Path:
    """The Debian tree alone. Read only: images share its files."""
    content_key = cache.key(_RELEASE, _PACKAGES, sys.modules[__name__])
    return cache.artifact("debian", content_key, _build_base) / "root"


def get(kernel_kind: str, containerd: str) -> Path:
    """The ext4 image that nodes with this kernel and this containerd boot from; to be attached read-only."""
    if containerd not in CONTAINERD_VARIANTS:
        raise cache.BuildError(f"no containerd {containerd!r}; there are {', '.join(CONTAINERD_VARIANTS)}")
    modules = kernel.get(kernel_kind).modules
    programs = _program_files(containerd)

    def build(into: Path) -> None:
        tree = into / "root"
        _stage(tree, containerd, programs)
        _link_tree(modules, tree / "usr/lib/modules" / modules.name)
        _make_image(into / "root.img", tree)

    # The parts are artifacts themselves: their places in the cache say what they were made from.
    parts = [str(path.relative_to(cache.root())) for path in (base(), modules, *programs.values())]
    content_key = cache.key(parts, sys.modules[__name__])
    return cache.artifact(f"image-{kernel_kind}-{containerd}", content_key, build) / "root.img"


def _build_base(into: Path) -> None:
    mirror = apt.mirror()
    tree = into / "root"
    # It mounts /proc and /sys in the tree. In a mount namespace of its own, none of them outlives it if it is killed.
    private = ["unshare", "--mount", "--propagation", "private"]
    debootstrap = [*private, "debootstrap", "--variant=minbase", f"--keyring={mirror.keyring}"]
    debootstrap += [f"--cache-dir={cache.subdir('debs')}", f"--include={','.join(_PACKAGES)}"]
    with cache.lock("debs"):
        cache.run("debian", [*debootstrap, _RELEASE, tree, mirror.uri])
    for name in _UNUSED:
        cache.remove_tree(tree / name)
    for log in (tree / "var/log").glob("**/*.log"):
        log.unlink()
    # debootstrap copied this machine's.
    (tree / "etc/resolv.conf").write_text("")
    (tree / "etc/hostname").write_text("node\n")
    (tree / "etc/hosts").write_text("127.0.0.1 localhost\n")
    # One kind is enough, and the others take long to load under emulation.
    for host_key in (*tree.glob("etc/ssh/ssh_host_rsa*"), *tree.glob("etc/ssh/ssh_host_ecdsa*")):
        host_key.unlink()


def _program_files(containerd: str) -> dict[Path, Path]:
    """Our own programs: their place in the tree, and the file."""
    names: Iterable[str] = gobuild.NODE_PROGRAMS
    if containerd == "2":
        names = (*names, *gobuild.CONTAINERD_PROGRAMS)
    files = {_PROGRAMS / name: gobuild.get(name) for name in names}
    return files | {_CNI_PLUGINS / name: gobuild.get(name) for name in gobuild.CNI_PLUGINS}


def _stage(tree: Path, containerd: str, programs: Mapping[Path, Path]) -> None:
    """The Debian tree with our programs, sharing files with the cache: add and remove, but change none."""
    _link_tree(base(), tree)
    if containerd != "1.7":
        for name in _PACKAGED_CONTAINERD:
            (tree / "usr/bin" / name).unlink(missing_ok=True)
    for place, file in programs.items():
        (tree / place).parent.mkdir(parents=True, exist_ok=True)
        os.link(file, tree / place)
    for directory in ("share", "data"):
        (tree / directory).mkdir(exist_ok=True)


def _link_tree(source: Path, target: Path) -> None:
    """A copy of the directory made of hard links: no bytes are copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    cache.run("image", ["cp", "-al", source, target])


def _make_image(image: Path, tree: Path) -> None:
    """An ext4 image of the tree, without a journal: nobody writes to it."""
    used_kib = int(cache.run("image", ["du", "-sk", "--apparent-size", tree]).split()[0])
    inodes = int(cache.run("image", ["du", "-s", "--inodes", tree]).split()[0])
    # A tenth for what file systems add: block rounding, inodes, directories.
    size_mib = used_kib * 11 // 10 // 1024 + inodes * 3 // 1024 + _IMAGE_SPARE_MIB
    options = ["-q", "-t", "ext4", "-b", "4096", "-m", "0", "-O", "^has_journal", "-N", str(inodes + 1024)]
    cache.run("image", ["mke2fs", *options, "-d", tree, image, f"{size_mib}M"])
    shutil.rmtree(tree)
