# SPDX-License-Identifier: Apache-2.0
"""Owns a node's virtual machine: its QEMU command line, its start and its end.

A guest that reboots ends its QEMU (-no-reboot), and the lab starts a new one: a crash of the guest's
kernel stays visible, and no emulated device carries state from one boot into the next.
"""

from pathlib import Path

from rocelab import netns, nodeconfig, process, switch, tool
from rocelab.accelerator import QEMU
from rocelab.journal import Entry, Journal
from rocelab.kernel import Kernel
from rocelab.layout import Layout
from rocelab.options import Description

# With memory above 4 GiB (q35: from 2.75 GiB of RAM on) the mailbox interrupt of an igb VF never arrives.
_MEMORY_MIB = 1900
# Without these an emulated kernel spends much of its time on protecting, testing and tidying itself.
_FAST = ["mitigations=off", "transparent_hugepage=never", "rcupdate.rcu_expedited=1", "audit=0", "apparmor=0"]
_FAST += ["nokaslr", "cryptomgr.notests=1", "nowatchdog", "no_timer_check", "tsc=reliable"]


class Machine:
    """The VM of one node."""

    def __init__(self, state: Layout, journal: Journal, lab: Description, index: int) -> None:
        self._state = state
        self._journal = journal
        self._lab = lab
        self._index = index
        self.name = lab.nodes[index]
        self.console = state.node_logs(self.name) / "console.log"

    def entry(self) -> Entry | None:
        """The VM's process, dead or alive; None when it was never started."""
        return self._journal.find_process(self.name)

    def is_running(self) -> bool:
        """Whether the VM's process runs."""
        return process.is_alive(self.entry())

    def start(self, kernel: Kernel, image: Path, accelerator: list[str]) -> Entry:
        """Starts the VM; it boots from the shared image and its own disk."""
        nodeconfig.write(self._state, self._lab, self._index)
        words = [tool.find(QEMU), *self._base(accelerator), *self._boot(kernel, image), *self._cards()]
        command = netns.Netns(self._lab.netns).command(words)
        log = self._state.node_logs(self.name) / "qemu.log"
        # Working in its directory keeps the socket paths short.
        return process.spawn(self._journal, self.name, command, log=log, cwd=self._state.node(self.name))

    def cut_power(self) -> None:
        """Ends the VM at once: whatever the guest had not written to its disk is lost."""
        entry = self.entry()
        if entry is not None:
            process.end([entry], grace=0)

    def wait_off(self, seconds: float) -> bool:
        """Waits for the guest to power off by itself."""
        entry = self.entry()
        return entry is None or process.wait_gone(entry, seconds)

    def _base(self, accelerator: list[str]) -> list[str]:
        return [
            *["-name", self.name, "-M", "q35", *accelerator, "-smp", "1", "-m", str(_MEMORY_MIB)],
            *["-nodefaults", "-display", "none", "-no-reboot"],
            *["-chardev", f"file,id=console,path={self.console},append=on", "-serial", "chardev:console"],
            *["-qmp", "unix:qmp,server=on,wait=off"],
            *["-device", "virtio-rng-pci"],
        ]

    def _boot(self, kernel: Kernel, image: Path) -> list[str]:
        arguments = ["console=ttyS0", "panic=-1", "quiet", "net.ifnames=1", *_FAST]
        if self._lab.options.rdma_mode == "exclusive":
            # modprobe reads it from here: in effect before any other network namespace exists.
            arguments.append("ib_core.netns_mode=0")
        share = self._state.share(self.name)
        logs = self._state.node_logs(self.name)
        return [
            *["-kernel", str(kernel.vmlinuz), "-initrd", str(kernel.initrd), "-append", " ".join(arguments)],
            *["-drive", f"file={image},if=virtio,format=raw,readonly=on"],
            *["-drive", f"file={self._state.data_disk(self.name)},if=virtio,format=raw,cache=writeback"],
            *["-virtfs", f"local,path={share},mount_tag=lab,security_model=none,multidevs=remap"],
            *["-virtfs", f"local,path={logs},mount_tag=log,security_model=none,multidevs=remap"],
        ]

    def _cards(self) -> list[str]:
        words = []
        for port, number in enumerate(switch.ports(self._index)):
            mac = nodeconfig.mac_address(self._lab, self._index, f"pf{port}")
            here = f"local.type=unix,local.path=../switch/vm{number}"
            there = f"remote.type=unix,remote.path=../switch/sw{number}"
            words += ["-device", f"pcie-root-port,id=slot{port},slot={port},chassis={port + 1}"]
            words += ["-netdev", f"dgram,id=fabric{port},{here},{there}"]
            words += ["-device", f"igb,netdev=fabric{port},id=pf{port},bus=slot{port},mac={mac}"]
        tap = netns.tap_name(self._index)
        mac = nodeconfig.mac_address(self._lab, self._index, "node")
        words += ["-netdev", f"tap,id=node,ifname={tap},script=no,downscript=no"]
        words += ["-device", f"virtio-net-pci,netdev=node,mac={mac}"]
        return words
