# SPDX-License-Identifier: Apache-2.0
"""Owns the life of a lab: up, down, and a node's reboot. One of these at a time per state directory."""

import contextlib
import dataclasses
import fcntl
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rocelab import accelerator, controlplane, disk, kernel, netns, options, pki
from rocelab import process, progress, rootfs, shell, switch
from rocelab.errors import LabError
from rocelab.journal import NETNS, PROCESS, Journal
from rocelab.kubectl import Kubectl
from rocelab.layout import Layout
from rocelab.machine import Machine
from rocelab.options import Description, Options

_READY_SECONDS = 300.0
_OFF_SECONDS = 90.0
_ANSWER_SECONDS = 30.0
_POLL_SECONDS = 0.5
_SUBJECT = "lab"


@dataclasses.dataclass(frozen=True)
class Boot:
    """What a VM is started from."""

    kernel: kernel.Kernel
    image: Path
    accelerator: list[str]


@contextlib.contextmanager
def exclusive(state: Layout) -> Iterator[None]:
    """Holds the state directory against another up, down or reboot; a killed holder lets go."""
    state.directory.mkdir(parents=True, exist_ok=True)
    if not state.lock.exists() and any(state.directory.iterdir()):
        raise LabError(
            f"{state.directory} has files in it that are not a lab's",
            remedy="set ROCELANE_LAB_DIR to an empty directory",
        )
    with open(state.lock, "w", encoding="ascii") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            with progress.step(_SUBJECT, "waiting for another command on this lab"):
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def up(state: Layout, chosen: Options) -> None:
    """Brings the lab up; one that is up already as chosen is left alone."""
    present = options.load(state.description)
    if present is not None and present.complete and _all_alive(state, present):
        if present.options != chosen:
            raise LabError("a lab with other options is up here", remedy="scripts/lab down first")
        progress.say(_SUBJECT, "is up already")
        return
    if state.journal.exists() or present is not None:
        progress.say(_SUBJECT, "cleaning up what a lab before this one left")
        down(state)
    boot = _boot(chosen)
    template = disk.template(chosen.containerd)
    controlplane.build_programs()
    switch.program()
    lab = Description(options.new_identity(), chosen, kernel_version=boot.kernel.version)
    shutil.rmtree(state.logs, ignore_errors=True)
    options.save(state.description, lab)
    _start(state, lab, boot, template)
    options.save(state.description, dataclasses.replace(lab, complete=True))


def down(state: Layout) -> None:
    """Ends and removes everything in the record, and the state except the logs."""
    journal = Journal(state.journal)
    entries = journal.entries()
    processes = [entry for entry in entries if entry.kind == PROCESS]
    if processes:
        with progress.step(_SUBJECT, f"ending {sum(process.is_alive(entry) for entry in processes)} processes"):
            # At once: nothing of what they hold is kept.
            process.end(processes, grace=0)
    for entry in entries:
        if entry.kind == NETNS:
            netns.Netns(entry.name).delete()
    for path in state.transient():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    # Last: until here a killed `down` can be run again.
    state.journal.unlink(missing_ok=True)


def reboot(state: Layout, lab: Description, nodes: Sequence[str], *, power_cut: bool) -> None:
    """Restarts nodes, or starts those that are off, and waits until they are Ready again."""
    for node in nodes:
        stop(state, lab, node, power_cut=power_cut)
    boot = _boot(lab.options)
    for node in nodes:
        _machine(state, lab, node).start(boot.kernel, boot.image, boot.accelerator)
    wait_ready(state, lab, nodes)


def stop(state: Layout, lab: Description, node: str, *, power_cut: bool) -> None:
    """Turns a node off; with `power_cut` it loses what it had not written to its disk."""
    machine = _machine(state, lab, node)
    connection = shell.Shell(state, lab, node)
    with progress.step(node, "cutting the power" if power_cut else "shutting down"):
        if not power_cut and machine.is_running():
            # A node that hangs does not answer either: what counts is whether the VM ends.
            with contextlib.suppress(subprocess.TimeoutExpired):
                connection.run(["/share/guest/labctl", "poweroff"], capture_output=True, timeout=_ANSWER_SECONDS)
            if not machine.wait_off(_OFF_SECONDS):
                progress.say(node, f"did not shut down within {_OFF_SECONDS:.0f} s; cutting the power")
        machine.cut_power()
        connection.disconnect()


def _machine(state: Layout, lab: Description, node: str) -> Machine:
    return Machine(state, Journal(state.journal), lab, lab.nodes.index(node))


def wait_ready(state: Layout, lab: Description, nodes: Sequence[str], seconds: float = _READY_SECONDS) -> None:
    """Waits until the nodes are Ready in their present boot; says what each has reached meanwhile."""
    api = kubectl(state, lab)
    journal = Journal(state.journal)
    said: dict[str, str] = {}
    waiting = list(nodes)
    deadline = time.monotonic() + seconds
    while waiting:
        for node in waiting:
            stage = _stage(state, node)
            if stage != said.get(node):
                said[node] = stage
                progress.say(node, stage)
            if not process.is_alive(journal.find_process(node)):
                raise LabError(f"the VM of {node} ended", log=state.node_logs(node) / "console.log")
        # Asking costs more than looking into a file: only once a kubelet can have reported.
        if any(said[node].startswith("kubelet") for node in waiting):
            states = api.node_states()
            for node in list(waiting):
                if node in states and states[node].ready and states[node].boot_id == boot_id(state, node):
                    progress.say(node, "Ready")
                    waiting.remove(node)
        if waiting and time.monotonic() > deadline:
            raise LabError(
                f"{', '.join(waiting)} not Ready after {seconds:.0f} s (last: {said[waiting[0]]})",
                log=state.node_logs(waiting[0]),
                remedy=f"scripts/lab logs {waiting[0]}",
            )
        time.sleep(_POLL_SECONDS)


def boot_id(state: Layout, node: str) -> str:
    """The id of the node's present boot; empty before its guest said so."""
    try:
        return (state.share(node) / "state" / "boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def kubectl(state: Layout, lab: Description) -> Kubectl:
    """kubectl for this lab."""
    return Kubectl(netns.Netns(lab.netns), state.kubectl, state.admin_kubeconfig)


def _stage(state: Layout, node: str) -> str:
    try:
        return (state.share(node) / "state" / "stage").read_text(encoding="utf-8").strip() or "booting"
    except OSError:
        return "booting"


def _boot(chosen: Options) -> Boot:
    chosen_kernel = kernel.get(chosen.kernel)
    image = rootfs.get(chosen.kernel, chosen.containerd)
    return Boot(chosen_kernel, image, accelerator.arguments(chosen_kernel))


def _all_alive(state: Layout, lab: Description) -> bool:
    entries = [entry for entry in Journal(state.journal).entries() if entry.kind == PROCESS]
    # A node that was rebooted has an entry per boot: the latest counts.
    latest = {entry.name: entry for entry in entries}
    return all(node in latest for node in lab.nodes) and all(process.is_alive(entry) for entry in latest.values())


def _start(state: Layout, lab: Description, boot: Boot, template: Path) -> None:
    journal = Journal(state.journal)
    namespace = netns.Netns(lab.netns)
    keys = pki.Pki(state.pki)
    with progress.step(_SUBJECT, f"network namespace {namespace.name}, switch, keys"):
        journal.add_netns(namespace.name)
        namespace.create(lab.options.nodes)
        switch.start(state, journal, namespace, lab.options.nodes)
        keys.create(lab.nodes)
        shell.create_keys(state, lab)
    machines = [Machine(state, journal, lab, index) for index in range(lab.options.nodes)]
    with progress.step(_SUBJECT, f"starting {len(machines)} VMs ({boot.accelerator[1].partition(',')[0]})"):
        for machine in machines:
            disk.create(state.data_disk(machine.name), template)
            machine.start(boot.kernel, boot.image, boot.accelerator)
    plane = controlplane.ControlPlane(state, journal, namespace, keys)
    with progress.step(_SUBJECT, "starting the control plane"):
        plane.start(lab.options)
        plane.wait_ready(kubectl(state, lab))
        plane.start_controllers(lab.options)
    wait_ready(state, lab, lab.nodes)
