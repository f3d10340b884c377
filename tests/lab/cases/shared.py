# SPDX-License-Identifier: Apache-2.0
"""Owns what the cases share: the lab with rocelane installed once, snapshots of a node, pods that are always deleted."""

import functools
import json
import os
import unittest
from pathlib import Path

from rocelab import deploy
from rocelab.client import Lab, Node
from rocelab.rdmapod import RdmaPod, node_records

# The network of VLAN 200 lies in the same subnet as the one of VLAN 100: only the VLAN separates them.
APART = "apart"


def configuration() -> dict:
    """The lab's configuration with a second network that pods may ask for."""
    chosen = deploy.config()
    train = chosen["networks"][0]
    chosen["networks"].append({**train, "name": APART, "vlan": 200})
    return chosen


@functools.cache
def lab() -> Lab:
    """The lab of this run; rocelane is installed at the first call."""
    found = Lab.attach()
    deploy.install(found, Path(os.environ["ROCELANE_BUILD"]), configuration())
    return found


def snapshot(node: Node) -> dict:
    """Everything of a node that an attachment changes, in a form that two moments can be compared by."""
    links = json.loads(node.run(["ip", "-j", "-d", "link"]).stdout)
    physical = {}
    for link in links:
        if link.get("parentbus") != "pci":
            continue
        physical[link["parentdev"]] = {
            "name": link["ifname"],
            "mac": link["address"],
            "mtu": link["mtu"],
            "altnames": sorted(link.get("altnames", [])),
            "up": "UP" in link["flags"],
            "vfs": [{key: vf.get(key) for key in ("vf", "address", "vlan_list", "spoofchk", "trust")} for vf in link.get("vfinfo_list", [])],
        }
    listing = "for d in /var/lib/rocelane/attachments /var/run/cdi; do ls -A $d 2>/dev/null; done; true"
    return {
        "links": physical,
        "rdma": sorted(device["ifname"] for device in json.loads(node.run(["rdma", "-j", "dev"]).stdout or "[]")),
        "files": node.script(listing).stdout.split(),
    }


class LabCase(unittest.TestCase):
    """A case against the lab; pods made through it are gone when it ends."""

    maxDiff = None

    def setUp(self) -> None:
        self.lab = lab()

    def pod(self, name: str, **options) -> RdmaPod:
        """A pod that is deleted when the test ends."""
        RdmaPod(self.lab, name).delete()
        pod = RdmaPod.create(self.lab, name, **options)
        self.addCleanup(pod.delete)
        return pod

    def pair(self, **options) -> list[RdmaPod]:
        """Two running pods on two nodes."""
        pods = [self.pod(f"pair-{node.name}", node=node.name, **options) for node in self.lab.nodes[:2]]
        for pod in pods:
            pod.wait_running()
        return pods

    def wait_home(self, node: Node, before: dict, seconds: float = 30) -> None:
        """Waits until the node is as in the snapshot; fails with the difference."""
        seen: dict = {}

        def same() -> bool:
            seen.clear()
            seen.update(snapshot(node))
            return seen == before

        try:
            self.lab.wait_for(same, seconds, what="everything home")
        except Exception:  # noqa: BLE001 - the difference says more
            self.assertEqual(before, seen, json.dumps(node_records(self.lab, node.name), indent=1))
