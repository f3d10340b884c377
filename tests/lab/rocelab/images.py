# SPDX-License-Identifier: Apache-2.0
"""Owns container images: `FROM scratch` plus exactly the files that are named, as docker archives.

No image registry is involved: programs come from this machine, from the build, or from the lab's Debian tree.
"""

import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rocelab import cache, closure, rootfs

_REGISTRY = "rocelane.local/lab"
PAUSE_NAME = f"{_REGISTRY}/pause:1"
VERBS_NAME = f"{_REGISTRY}/verbs:1"

_VERBS_PROGRAMS = (
    *("/usr/bin/ibv_devices", "/usr/bin/ibv_devinfo", "/usr/bin/ibv_rc_pingpong", "/usr/bin/ibv_ud_pingpong"),
    *("/usr/bin/ib_send_lat", "/usr/bin/ib_send_bw", "/usr/bin/ib_write_lat", "/usr/bin/ib_write_bw"),
    *("/usr/bin/rping", "/usr/bin/ping", "/usr/bin/ip", "/usr/bin/rdma"),
)
# libibverbs finds its driver for soft RoCE by this file's name and loads it at run time.
_PROVIDER = "/usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav*.so"
_PROVIDER_CONFIG = "/etc/libibverbs.d/rxe.driver"
# glibc loads it when a thread ends by pthread_exit(3): rping does.
_UNWINDER = "/usr/lib/x86_64-linux-gnu/libgcc_s.so.1"
_BUSYBOX = "/usr/bin/busybox"

# One directory for each purpose, as on any current distribution, so that a path works whichever way it is written.
_MERGED = {"bin": "usr/bin", "sbin": "usr/sbin", "lib": "usr/lib", "lib64": "usr/lib64"}
_PASSWD = "root:x:0:0:root:/:/bin/sh\nuser:x:1000:1000:user:/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n"
_GROUP = "root:x:0:\nuser:x:1000:\nnobody:x:65534:\n"

# Nothing is signed here, and nothing is fetched.
_POLICY = {"default": [{"type": "insecureAcceptAnything"}]}


def build(
    name: str, files: Mapping[str, Path], cmd: Sequence[str], links: Mapping[str, str] | None = None
) -> Path:
    """An image of these files (path in the image → file here) and links (path → target) that runs `cmd`.

    Returns a docker archive, to be imported under `name`.
    """
    links = links or {}
    contents = sorted((path, cache.key(file), file.stat().st_mode) for path, file in files.items())
    content_key = cache.key(name, contents, list(cmd), sorted(links.items()), sys.modules[__name__])
    kind = "oci-" + name.rsplit("/", 1)[-1].replace(":", "-")

    def make(into: Path) -> None:
        with tempfile.TemporaryDirectory(dir=cache.subdir("tmp")) as scratch:
            work = Path(scratch)
            _stage(work / "root", files, links)
            _archive(kind, name, cmd, work, into / "image.tar")

    return cache.artifact(kind, content_key, make) / "image.tar"


def get(name: str) -> Path:
    """The docker archive of one of the lab's own images."""
    recipe = RECIPES.get(name)
    if recipe is None:
        raise cache.BuildError(f"no image {name!r}; there are {', '.join(RECIPES)}")
    return recipe()


def _pause() -> Path:
    source = Path(__file__).with_name("pause.c")

    def compile_pause(into: Path) -> None:
        cache.run("pause", ["cc", "-static", "-Os", "-s", "-o", into / "pause", source])

    program = cache.artifact("pause", cache.key(source), compile_pause) / "pause"
    return build(PAUSE_NAME, {"/pause": program}, ["/pause"])


def _verbs() -> Path:
    root = rootfs.base()
    providers = ["/" + str(path.relative_to(root)) for path in root.glob(_PROVIDER.removeprefix("/"))]
    files = closure.closure([*_VERBS_PROGRAMS, *providers, _UNWINDER, _BUSYBOX], root)
    files[_PROVIDER_CONFIG] = closure.resolve(_PROVIDER_CONFIG, root)
    applets = cache.run("verbs", [files[_BUSYBOX], "--list"]).split()
    taken = {Path(path).name for path in files}
    links = {f"/usr/bin/{applet}": "busybox" for applet in applets if applet not in taken}
    return build(VERBS_NAME, files, ["sleep", "2147483647"], links)


RECIPES: dict[str, Callable[[], Path]] = {"pause": _pause, "verbs": _verbs}


def _stage(tree: Path, files: Mapping[str, Path], links: Mapping[str, str]) -> None:
    """The image's file tree."""
    for link, target in _MERGED.items():
        (tree / target).mkdir(parents=True)
        (tree / link).symlink_to(target)
    (tree / "etc").mkdir()
    (tree / "etc/passwd").write_text(_PASSWD)
    (tree / "etc/group").write_text(_GROUP)
    (tree / "tmp").mkdir()
    (tree / "tmp").chmod(0o1777)
    for path, file in files.items():
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
    for path, target in links.items():
        place = tree / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)


def _archive(subject: str, name: str, cmd: Sequence[str], work: Path, target: Path) -> None:
    """Turns work/root into a docker archive with buildah, whose storage lives and dies with `work`."""
    recipe = work / "Containerfile"
    recipe.write_text(f"FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin:/usr/sbin\nCMD {json.dumps(list(cmd))}\n")
    policy = work / "policy.json"
    policy.write_text(json.dumps(_POLICY))
    buildah = ["buildah", "--storage-driver", "vfs", "--root", work / "storage", "--runroot", work / "run"]
    trust = ["--signature-policy", policy]
    # A fixed time makes the same files the same image.
    options = ["--isolation", "chroot", "--timestamp", "0", "--quiet", "--tag", name, "--file", recipe]
    cache.run(subject, [*buildah, "build", *trust, *options, work])
    cache.run(subject, [*buildah, "push", *trust, "--quiet", name, f"docker-archive:{target}:{name}"])
