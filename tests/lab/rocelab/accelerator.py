# SPDX-License-Identifier: Apache-2.0
"""Owns the choice between KVM and software emulation. KVM is used only after a bounded boot proved it:
/dev/kvm may be there and yet refuse, abort or hang QEMU. The answer is remembered in the cache."""

import fcntl
import json
import os
import platform
import subprocess
from pathlib import Path

from rocelab import cache, progress, tool
from rocelab.kernel import Kernel

QEMU = "qemu-system-x86_64"
# Emulated, a 5-level page table costs a step on each TLB miss, and `rep movsb`, which a kernel prefers when
# the CPU claims it to be fast, goes byte by byte: without them a node boots in a tenth less CPU time.
TCG = ["-accel", "tcg,thread=multi", "-cpu", "max,la57=off,erms=off,fsrm=off"]
KVM = ["-accel", "kvm", "-cpu", "host"]
_DEVICE = "/dev/kvm"
# From <linux/kvm.h>: KVM_GET_API_VERSION answers 12 on every kernel since 2.6.22.
_KVM_GET_API_VERSION = 0xAE00
_KVM_API_VERSION = 12
_PROBE_SECONDS = 20.0
# The kernel says this when it starts the first program of its initrd.
_PROOF = b"Run /init as init process"


def arguments(kernel: Kernel) -> list[str]:
    """QEMU's arguments for the fastest accelerator that works here."""
    return KVM if _kvm_works(kernel) else TCG


def _kvm_works(kernel: Kernel) -> bool:
    if not _device_answers():
        return False
    path = cache.root() / "kvm.json"
    machine = f"{platform.release()} {_cpu_model()} {tool.run([QEMU, '--version']).splitlines()[0]}"
    try:
        remembered = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError):
        remembered = {}
    if remembered.get("machine") != machine:
        with progress.step("kvm", "proving it with a bounded boot"):
            remembered = {"machine": machine, "works": _boots(kernel)}
        path.write_text(json.dumps(remembered) + "\n", encoding="utf-8")
    return remembered["works"]


def _device_answers() -> bool:
    try:
        handle = os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return fcntl.ioctl(handle, _KVM_GET_API_VERSION) == _KVM_API_VERSION
    except OSError:
        return False
    finally:
        os.close(handle)


def _cpu_model() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def _boots(kernel: Kernel) -> bool:
    command = [tool.find(QEMU), "-M", "q35", *KVM, "-m", "512", "-display", "none", "-nodefaults", "-no-reboot"]
    command += ["-serial", "stdio", "-kernel", str(kernel.vmlinuz), "-initrd", str(kernel.initrd)]
    command += ["-append", "console=ttyS0 panic=-1"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PROBE_SECONDS,
            check=False,
            preexec_fn=tool.die_with_parent,
        )
        output = done.stdout
    except subprocess.TimeoutExpired as expired:
        # An initrd that waits for its disk runs into this; what counts is how far it came.
        output = expired.stdout or b""
    return _PROOF in output
