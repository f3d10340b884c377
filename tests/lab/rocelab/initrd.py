# SPDX-License-Identifier: Apache-2.0
"""Owns the initial RAM disk: what a node does between its kernel and the guest's own init.

The root file system is a read-only image shared by all nodes, with a tmpfs over it; what must survive
a reboot is on a second disk. The guest's init comes from the shared folder, so editing it needs no
new image.
"""

import lzma
import re
import shutil
from pathlib import Path

from rocelab import cache

# virtio_pci is built into some kernels; modprobe then names no file for it.
_MODULES = ("virtio_pci", "virtio_blk", "ext4", "overlay", "9pnet_virtio", "9p")
_BUSYBOX = Path("/bin/busybox")

# Runs under busybox as the kernel's first process. The guest's init starts with /proc, /sys, /dev, /share and
# (with a second disk) /data mounted, on a writable root.
_INIT = """#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install -s /bin
fail() { echo "initrd: $*"; sync; poweroff -f; }
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev
while read -r file; do insmod "/modules/$file" || echo "initrd: cannot load $file"; done < /modules/order
tries=0
while [ ! -b /dev/vda ]; do
  tries=$((tries + 1)); [ $tries -le 50 ] || fail "no disk /dev/vda"; sleep 0.1
done
mkdir -p /image /over
mount -t ext4 -o ro,noload /dev/vda /image || fail "cannot mount /dev/vda"
mount -t tmpfs -o size=75% over /over
mkdir -p /over/upper /over/work
mount -t overlay -o lowerdir=/image,upperdir=/over/upper,workdir=/over/work root /newroot || fail "cannot mount the root"
mkdir -p /newroot/share /newroot/data
mount -t 9p -o trans=virtio,version=9p2000.L,msize=1048576 lab /newroot/share || fail "no shared folder with tag lab"
if [ -b /dev/vdb ]; then mount -t ext4 /dev/vdb /newroot/data || fail "cannot mount /dev/vdb"; fi
[ -x /newroot/share/guest/init ] || fail "no guest/init in the shared folder"
for each in proc sys dev; do mount --move /$each /newroot/$each; done
exec switch_root /newroot /share/guest/init
"""


def make(target: Path, modules_root: Path, version: str) -> None:
    """Writes the RAM disk for the kernel `version`, whose modules lie under `modules_root`."""
    tree = target.parent / "initrd-tree"
    for name in ("bin", "modules", "proc", "sys", "dev", "newroot"):
        (tree / name).mkdir(parents=True)
    shutil.copy2(_BUSYBOX, tree / "bin" / "busybox")
    (tree / "init").write_text(_INIT)
    (tree / "init").chmod(0o755)
    order = [_add_module(file, tree / "modules") for file in _load_order(modules_root, version)]
    (tree / "modules" / "order").write_text("".join(f"{name}\n" for name in order))
    names = "\n".join(str(path.relative_to(tree)) for path in sorted(tree.rglob("*")))
    archive = tree.parent / "initrd.cpio"
    cache.run("initrd", ["cpio", "--quiet", "-o", "-H", "newc", "-F", archive], cwd=tree, stdin=names.encode())
    # Not compressed: emulation reads it from memory faster than it unpacks it.
    archive.rename(target)
    cache.remove_tree(tree)


def _load_order(modules_root: Path, version: str) -> list[Path]:
    """Module files with every dependency before its user."""
    files: dict[Path, None] = {}
    for module in _MODULES:
        text = cache.run("initrd", ["modprobe", "-d", modules_root, "-S", version, "--show-depends", module])
        for name in re.findall(r"^insmod (\S+)", text, re.MULTILINE):
            files[Path(name)] = None
    return list(files)


def _add_module(file: Path, target: Path) -> str:
    """Puts the module there, unpacked as insmod needs it, and returns its name."""
    if file.suffix == ".xz":
        name = file.stem
        (target / name).write_bytes(lzma.decompress(file.read_bytes()))
    else:
        name = file.name
        shutil.copy2(file, target / name)
    return name
