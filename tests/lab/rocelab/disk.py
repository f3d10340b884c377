# SPDX-License-Identifier: Apache-2.0
"""Owns the nodes' persistent disks: copies of a template that already holds the lab's images.

Importing an image in an emulated CPU takes seconds per node; here it happens once, with the very
containerd that the nodes run, and the result is cached.
"""

import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rocelab import cache, gobuild, images, tool
from rocelab.errors import LabError

IMAGES = ("pause", "verbs")
_SIZE = "12G"
_NAMESPACE = "k8s.io"
_START_SECONDS = 20.0
# Only what an import needs: this containerd runs on the machine that the lab was started on.
_CONFIG = """version = 3
root = "{store}"
state = "{work}/state"
disabled_plugins = [
  "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri",
]
[grpc]
  address = "{work}/containerd.sock"
[ttrpc]
  address = "{work}/ttrpc.sock"
"""


def template(containerd: str) -> Path:
    """The disk that a new node starts with. containerd 1.7 cannot read the store of a newer one: its
    nodes start empty and import the images when they boot."""
    preloaded = IMAGES if containerd == "2" else ()
    archives = [images.get(name) for name in preloaded]
    parts = [gobuild.get("containerd"), *archives] if preloaded else []

    def build(directory: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="rocelane-disk-") as name:
            tree = Path(name) / "tree"
            for part in ("var-lib/containerd", "var-lib/kubelet", "var-lib/rocelane", "var-lib/cni"):
                (tree / part).mkdir(parents=True)
            for part in ("var-log", "etc-cni/net.d", "opt-cni"):
                (tree / part).mkdir(parents=True)
            if archives:
                _import(archives, tree / "var-lib" / "containerd", Path(name))
            # Few inodes, and none left for the guest to initialise in the background.
            layout = ["-i", "65536", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
            tool.run(["mke2fs", "-q", "-t", "ext4", *layout, "-d", tree, directory / "disk.img", _SIZE])

    sources = [f"{path.name} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in parts]
    content = cache.key(Path(__file__), *sources)
    return cache.artifact("node-disk", content, build) / "disk.img"


def create(path: Path, source: Path) -> None:
    """A node's own disk: a sparse copy of the template."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tool.run(["cp", "--sparse=always", "--reflink=auto", source, path])


def _import(archives: Sequence[Path], store: Path, work: Path) -> None:
    config = work / "containerd.toml"
    config.write_text(_CONFIG.format(store=store, work=work), encoding="utf-8")
    log = work / "containerd.log"
    with open(log, "wb") as output:
        daemon = subprocess.Popen(
            [gobuild.get("containerd"), "--config", config],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=tool.die_with_parent,
        )
    ctr = [str(gobuild.get("ctr")), "--address", str(work / "containerd.sock"), "--namespace", _NAMESPACE]
    try:
        deadline = time.monotonic() + _START_SECONDS
        while subprocess.run([*ctr, "version"], capture_output=True, check=False).returncode != 0:
            if daemon.poll() is not None or time.monotonic() > deadline:
                raise LabError(f"containerd does not start here: {log.read_text(errors='replace')[-1000:]}")
            time.sleep(0.05)
        for archive in archives:
            # --local: the transfer service would want the plugins that are off.
            tool.run([*ctr, "images", "import", "--local", "--snapshotter", "overlayfs", archive])
    finally:
        daemon.terminate()
        daemon.wait()
    # It names one containerd; every node makes its own.
    (store / "io.containerd.grpc.v1.introspection" / "uuid").unlink(missing_ok=True)
