# SPDX-License-Identifier: Apache-2.0
"""Owns the table that `status` prints."""

from rocelab import lifecycle, netns, process, switch
from rocelab.journal import Journal
from rocelab.layout import Layout
from rocelab.machine import Machine
from rocelab.options import Description

_HEADINGS = ("NODE", "VM", "KUBELET", "KERNEL", "ADDRESS", "POD SUBNET", "SWITCH PORTS", "UPTIME")


def table(state: Layout, lab: Description) -> str:
    """One line per node."""
    journal = Journal(state.journal)
    known = lifecycle.kubectl(state, lab).node_states() if netns.Netns(lab.netns).exists() else {}
    rows = [_HEADINGS]
    for index, node in enumerate(lab.nodes):
        machine = Machine(state, journal, lab, index)
        entry = machine.entry()
        running = entry is not None and machine.is_running()
        registered = known.get(node)
        rows.append(
            (
                node,
                "running" if running else "off",
                "unknown" if registered is None else "Ready" if registered.ready else "NotReady",
                lab.kernel_version,
                netns.node_address(index),
                netns.pod_subnet(index),
                " ".join(str(port) for port in switch.ports(index)),
                _duration(process.uptime(entry)) if entry is not None and running else "-",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(lines)


def summary(state: Layout, lab: Description) -> str:
    """The lab as a whole, and what of it does not run."""
    chosen = lab.options
    gates = ",".join(f"{name}={str(value).lower()}" for name, value in chosen.feature_gates.items())
    lines = [
        f"lab {state.directory}: {'up' if lab.complete else 'incomplete'}, netns {lab.netns}, kernel {chosen.kernel},"
        f" containerd {chosen.containerd}, RDMA mode {chosen.rdma_mode}, feature gates {gates or 'default'}"
    ]
    latest = {entry.name: entry for entry in Journal(state.journal).entries() if entry.pid}
    lines += [f"not running: {name}, see {state.logs}" for name, entry in latest.items() if not process.is_alive(entry)]
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
