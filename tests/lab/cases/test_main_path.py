# SPDX-License-Identifier: Apache-2.0
"""Two unprivileged pods on two nodes, each with its own VF on VLAN 100: what the project is for."""

from cases.shared import APART, LabCase
from rocelab import rdmapod
from rocelab.errors import LabError


class MainPath(LabCase):
    def test_pods_on_two_nodes_exchange_verbs_and_rdma_cm_traffic(self):
        pods = self.pair()
        for pod in pods:
            seen = pod.attachment()
            self.assertEqual(seen.vlan, 100)
            self.assertEqual(seen.record["phase"], "ready")
            self.assertEqual(seen.memlock, "unlimited")
            self.assertIn("uid=1000", pod.exec("id").stdout)
        self.assertNotEqual(pods[0].node, pods[1].node)
        rdmapod.send_latency(*pods)
        rdmapod.connection_manager(*pods)

    def test_a_pod_sees_and_opens_only_its_own_uverbs_node(self):
        first = self.pod("own-a", node="node0").wait_running()
        second = self.pod("own-b", node="node0").wait_running()
        own = first.attachment().record["rdma"]
        other = second.attachment().record["rdma"]
        self.assertNotEqual((own["major"], own["minor"]), (other["major"], other["minor"]))
        nodes = first.exec("ls", "/dev/infiniband").stdout.split()
        self.assertEqual(sorted(nodes), sorted([own["chardev"], "rdma_cm"]))
        # The device cgroup, not only the missing node: a node made by hand does not open either.
        pid = self._pid(first)
        foreign = f"/proc/{pid}/root/dev/infiniband/foreign"
        self.lab.node("node0").script(f"mknod {foreign} c {other['major']} {other['minor']} && chmod 666 {foreign}")
        opened = first.exec("sh", "-c", "exec 3<>/dev/infiniband/foreign", check=False)
        self.assertNotEqual(opened.returncode, 0)
        self.assertIn("Operation not permitted", opened.stderr + opened.stdout)

    def _pid(self, pod) -> str:
        container = pod.status()["status"]["containerStatuses"][0]["containerID"].split("//")[1]
        listing = self.lab.node(pod.node).run(["ctr", "-n", "k8s.io", "tasks", "ls"]).stdout
        for line in listing.splitlines():
            words = line.split()
            if words and words[0] == container:
                return words[1]
        self.fail(f"no task of {container} in:\n{listing}")

    def test_another_vlan_in_the_same_subnet_is_apart_for_ip_and_for_verbs(self):
        here = self.pod("vlan-here", node="node0").wait_running()
        same = self.pod("vlan-same", node="node1").wait_running()
        apart = self.pod("vlan-apart", node="node1", annotations={"rocelane.io/network": APART}).wait_running()
        address = here.attachment().address
        self.assertEqual(apart.attachment().vlan, 200)
        # The control: what is refused below works from the same node on the same VLAN.
        self.assertEqual(same.exec("ping", "-c", "2", "-W", "5", address).returncode, 0)
        self.assertNotEqual(apart.exec("ping", "-c", "2", "-W", "2", address, check=False).returncode, 0)
        rdmapod.send_latency(here, same, rounds=20)
        with self.assertRaises(LabError) as refused:
            rdmapod.send_latency(here, apart, rounds=20)
        # It got as far as its queue pairs: the exchange over the primary network worked.
        self.assertIn("remote address", str(refused.exception))

    def test_an_unprivileged_pod_registers_64_mib(self):
        # A server registers its buffer before it waits for a client; the kernel counts it as pinned.
        size = 64 * 1024 * 1024
        script = f"for d in /sys/class/infiniband/*; do ibv_rc_pingpong -d ${{d##*/}} -g 1 -s {size} && break; done; sleep infinity"
        pod = self.pod("memlock", node="node0", command=["sh", "-c", script]).wait_running()

        def pinned() -> int:
            lines = pod.exec("sh", "-c", "grep -h VmPin /proc/[0-9]*/status", check=False).stdout.splitlines()
            return max((int(line.split()[1]) for line in lines), default=0)

        self.lab.wait_for(lambda: pinned() >= size // 1024, 30, what="64 MiB of pinned memory")

    def test_a_pod_without_rdma_is_left_alone(self):
        pod = self.pod("plain", node="node0", devices=0).wait_running()
        self.assertEqual(pod.exec("ls", "/sys/class/net").stdout.split(), ["eth0", "lo"])
        self.assertEqual(pod.records(), [])
        self.assertNotIn("infiniband", pod.exec("ls", "/dev").stdout.split())

    def test_several_vfs_come_as_roce0_and_roce1_in_device_order(self):
        pod = self.pod("several", node="node0", devices=2).wait_running()
        records = sorted(pod.records(), key=lambda record: record["ifName"])
        self.assertEqual([record["ifName"] for record in records], ["roce0", "roce1"])
        self.assertEqual([record["deviceID"] for record in records], sorted(record["deviceID"] for record in records))
        for record in records:
            self.assertIn(record["addresses"][0], pod.exec("ip", "-4", "addr", "show", record["ifName"]).stdout)
