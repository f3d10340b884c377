# SPDX-License-Identifier: Apache-2.0
"""Whatever ends a pod, its VF is home afterwards exactly as it was."""

from cases.shared import LabCase, snapshot


class Release(LabCase):
    def test_a_deleted_pods_vf_is_home_with_name_mac_mtu_and_vlan_0(self):
        node = self.lab.node("node0")
        before = snapshot(node)
        pod = self.pod("home", node="node0").wait_running()
        during = snapshot(node)
        record = pod.attachment().record
        self.assertNotIn(record["deviceID"], during["links"])
        pod.delete()
        self.wait_home(node, before)
        vf = next(vf for link in before["links"].values() for vf in link["vfs"] if vf["vf"] == record["saved"]["vfIndex"])
        self.assertIn(vf.get("vlan_list"), (None, [], [{}]))

    def test_a_sandbox_killed_without_del_gives_its_vf_back_when_the_pod_goes(self):
        node = self.lab.node("node0")
        before = snapshot(node)
        pod = self.pod("killed", node="node0").wait_running()
        netns = pod.attachment().record["netns"]["path"]
        # Everything of the sandbox at once, as when a node is out of memory: processes, then the namespace.
        node.script(f"ip netns pids {netns.rsplit('/', 1)[1]} | xargs -r kill -9; umount -l {netns}; rm -f {netns}")
        pod.delete()
        self.wait_home(node, before, 60)

    def test_a_pod_whose_cni_was_killed_in_the_middle_of_add_runs_in_the_end_and_leaves_nothing(self):
        node = self.lab.node("node0")
        before = snapshot(node)
        for nth in (7, 15):
            with self.subTest(killed_at_netlink_request=nth):
                self._kill_next_add(node, nth)
                pod = self.pod("unlucky", node="node0").wait_running(120)
                self.assertEqual(node.run(["cat", "/run/killed"]).stdout.strip(), "137", "the CNI was killed")
                self.assertEqual(pod.attachment().vlan, 100)
                pod.delete()
                self.wait_home(node, before, 60)

    def _kill_next_add(self, node, nth: int) -> None:
        """The next ADD gets SIGKILL at its nth netlink request; the ones after it are left alone."""
        wrapper = f"""#!/bin/bash
if [ "$CNI_COMMAND" = ADD ] && mkdir /run/kill-once 2>/dev/null; then
  strace -f -qq -o /dev/null -e trace=sendto -e inject=sendto:signal=KILL:when={nth} /opt/cni/bin/roce-cni.real
  echo $? > /run/killed; exit 1
fi
exec /opt/cni/bin/roce-cni.real
"""
        install = f"""
rm -rf /run/kill-once /run/killed
[ -e /opt/cni/bin/roce-cni.real ] || cp -a /opt/cni/bin/roce-cni /opt/cni/bin/roce-cni.real
cat > /opt/cni/bin/.wrapper <<'EOF'
{wrapper}EOF
chmod 755 /opt/cni/bin/.wrapper; mv /opt/cni/bin/.wrapper /opt/cni/bin/roce-cni
"""
        node.script(install)
        self.addCleanup(node.script, "[ ! -e /opt/cni/bin/roce-cni.real ] || mv /opt/cni/bin/roce-cni.real /opt/cni/bin/roce-cni")
