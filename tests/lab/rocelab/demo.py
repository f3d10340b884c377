# SPDX-License-Identifier: Apache-2.0
"""Owns the demonstration: a lab, rocelane in it, two unprivileged pods on two nodes, verbs traffic between them."""

import argparse
import sys
import time
from pathlib import Path

from rocelab import cache, deploy, lifecycle, progress, rdmapod
from rocelab.client import Lab
from rocelab.errors import LabError
from rocelab.layout import Layout, default_directory
from rocelab.options import Options

_PODS = ("rdma-a", "rdma-b")
_VLAN = deploy.config()["networks"][0]["vlan"]


def _table(rows: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _check(holds: bool, claim: str) -> None:
    if not holds:
        raise LabError(f"not so: {claim}")


def _show(pods: list[rdmapod.RdmaPod]) -> None:
    rows = [["POD", "NODE", "VF", "VLAN", "INTERFACE", "ADDRESS", "RDMA DEVICE", "GID", "MEMLOCK"]]
    for pod in pods:
        seen = pod.attachment()
        rows.append(
            [pod.name, pod.node, seen.record["deviceID"], str(seen.vlan), seen.record["ifName"], seen.address,
             seen.device, f"{seen.gid_index}: {seen.gid}", seen.memlock]
        )
        _check(seen.vlan == _VLAN, f"the VF of {pod.name} is on VLAN {_VLAN}")
        _check(seen.memlock == "unlimited", f"{pod.name} may lock memory without limit")
        _check("uid=1000" in pod.exec("id").stdout, f"{pod.name} runs unprivileged")
    _check(len({pod.node for pod in pods}) == len(pods), "the pods are on different nodes")
    print(_table(rows), flush=True)


def run(build: Path) -> None:
    """Everything once; raises at the first thing that does not hold."""
    state = Layout(default_directory())
    with lifecycle.exclusive(state):
        lifecycle.up(state, Options())
    lab = Lab.attach()
    deploy.install(lab, build)
    pods = [rdmapod.RdmaPod(lab, name) for name in _PODS]
    with progress.step("demo", "two pods that ask for rdma/roce: 1"):
        for pod in pods:
            pod.delete()
        for pod, node in zip(pods, lab.nodes):
            rdmapod.RdmaPod.create(lab, pod.name, node=node.name)
        for pod in pods:
            pod.wait_running()
    _show(pods)
    with progress.step("demo", "ib_send_lat between the pods"):
        latency = rdmapod.send_latency(*pods)
    with progress.step("demo", "rping (rdma_cm) between the pods"):
        rdmapod.connection_manager(*pods)
    print(f"ib_send_lat {_PODS[1]} -> {_PODS[0]}: {latency} (emulated CPUs: ratios mean something, times do not)")
    print("rping: connected by address through rdma_cm")


def main() -> int:
    """Exit code 0 only if all of it holds."""
    parser = argparse.ArgumentParser(prog="scripts/demo", description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--keep", action="store_true", help="leave the lab up")
    arguments = parser.parse_args()
    begin = time.monotonic()
    try:
        run(arguments.build)
        print(f"demo: all of it holds, {time.monotonic() - begin:.0f} s")
        return 0
    except (LabError, cache.BuildError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    finally:
        if arguments.keep:
            print("The lab stays up. Go on with:\n  scripts/lab kubectl get pods -o wide\n"
                  "  scripts/lab kubectl exec -it rdma-a -- sh\n  scripts/lab exec node0\n  scripts/lab down")
        else:
            state = Layout(default_directory())
            with lifecycle.exclusive(state):
                lifecycle.down(state)


if __name__ == "__main__":
    sys.exit(main())
