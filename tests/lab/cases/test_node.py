# SPDX-License-Identifier: Apache-2.0
"""What a node does when its devices or its parts are away."""

import json

from cases.shared import LabCase
from rocelab import deploy


class NodeHealth(LabCase):
    def _ready(self, name: str) -> bool:
        node = json.loads(self.lab.kubectl("get", "node", name, "-o", "json").stdout)
        return any(entry["type"] == "Ready" and entry["status"] == "True" for entry in node["status"]["conditions"])

    def test_a_missing_pf_never_makes_the_node_not_ready(self):
        node = self.lab.node("node1")
        pf = deploy.config()["resourceList"][0]["selectors"][0]["pfNames"][0]
        address = node.script(f"basename $(readlink /sys/class/net/{pf}/device)").stdout.strip()
        node.script(f"echo 1 > /sys/bus/pci/devices/{address}/remove")
        try:
            self.lab.wait_for(lambda: deploy.allocatable(self.lab, "node1") == 0, 60, what="no device left")
            # A sandbox is built meanwhile: the chained plugin must let it pass.
            self.pod("no-pf", node="node1", devices=0).wait_running()
            self.assertTrue(self._ready("node1"))
        finally:
            node.script("echo 1 > /sys/bus/pci/rescan")
        # The agent finds the PF, makes its VFs, and the plugin offers them again.
        self.lab.wait_for(lambda: deploy.allocatable(self.lab, "node1") > 0, 90, what="devices again")

    def test_a_restarted_kubelet_has_the_devices_again_and_running_pods_keep_theirs(self):
        pod = self.pod("stays", node="node0").wait_running()
        record = pod.attachment().record
        offered = deploy.allocatable(self.lab, "node0")
        before = self._registrations()
        self.lab.node("node0").control("restart", "kubelet")
        self.lab.wait_for(lambda: self._registrations() > before, 60, what="registration with the new kubelet")
        self.lab.wait_for(lambda: deploy.allocatable(self.lab, "node0") == offered, 60, what="devices again")
        self.assertTrue(self._ready("node0"))
        self.assertEqual(pod.attachment().record, record)

    def _registrations(self) -> int:
        """How often node0's plugin has registered; kubelet, which serves its log, may be away."""
        pods = self.lab.kubectl(
            "-n", "rocelane", "get", "pods", "-l", "app.kubernetes.io/component=device-plugin",
            "--field-selector", "spec.nodeName=node0", "-o", "name",
        ).stdout.split()
        return self.lab.kubectl("-n", "rocelane", "logs", pods[0], check=False).stdout.count("registered with kubelet resource")
