# SPDX-License-Identifier: Apache-2.0
"""Owns pods that hold RDMA devices: their manifests, what is seen from inside them, verbs traffic between two."""

import dataclasses
import ipaddress
import json
import subprocess
from collections.abc import Sequence

from rocelab.client import CommandError, Lab
from rocelab.deploy import RESOURCE
from rocelab.errors import LabError

IMAGE = "rocelane.local/lab/verbs:1"
_RUNNING_SECONDS = 90
_GONE_SECONDS = 60
_TRAFFIC_SECONDS = 60


def manifest(
    name: str,
    *,
    node: str | None = None,
    devices: int = 1,
    command: Sequence[str] = ("sleep", "infinity"),
    annotations: dict[str, str] | None = None,
    resource: str = RESOURCE,
) -> dict:
    """An unprivileged pod; `node` goes through the scheduler like a user's nodeSelector would."""
    quantity = {resource: str(devices)} if devices else {}
    spec: dict = {
        "restartPolicy": "Never",
        # Not 0: the API would forget the pod at once, before its sandbox is gone.
        "terminationGracePeriodSeconds": 1,
        "securityContext": {"runAsUser": 1000, "runAsGroup": 1000, "runAsNonRoot": True},
        "containers": [
            {
                "name": "main",
                "image": IMAGE,
                "imagePullPolicy": "Never",
                "command": list(command),
                "resources": {"limits": quantity},
                "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
            }
        ],
    }
    if node is not None:
        spec["nodeSelector"] = {"kubernetes.io/hostname": node}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations or {}},
        "spec": spec,
    }


@dataclasses.dataclass(frozen=True)
class Attachment:
    """What is true of a pod's device, seen from the node and from inside the pod."""

    record: dict
    address: str
    gid: str
    gid_index: int
    memlock: str
    vlan: int

    @property
    def device(self) -> str:
        """The RDMA device's name."""
        return self.record["rdma"]["device"]


class RdmaPod:
    """One pod of the test."""

    def __init__(self, lab: Lab, name: str) -> None:
        self.lab = lab
        self.name = name

    @classmethod
    def create(cls, lab: Lab, name: str, **options) -> "RdmaPod":
        """Creates it; does not wait."""
        lab.apply(json.dumps(manifest(name, **options)))
        return cls(lab, name)

    def status(self) -> dict:
        """The API's object; empty when there is none."""
        answer = self.lab.kubectl("get", "pod", self.name, "-o", "json", "--ignore-not-found")
        return json.loads(answer.stdout) if answer.stdout.strip() else {}

    @property
    def node(self) -> str:
        """The node it was scheduled to."""
        return self.status()["spec"]["nodeName"]

    @property
    def uid(self) -> str:
        """Its UID."""
        return self.status()["metadata"]["uid"]

    def wait_running(self, seconds: float = _RUNNING_SECONDS) -> "RdmaPod":
        """Returns when its container runs; else says what its events say."""
        try:
            self.lab.wait_for(lambda: self.status().get("status", {}).get("phase") == "Running", seconds, what=f"running pod {self.name}")
        except LabError as error:
            raise LabError(f"{error}\n{self.events()}") from error
        return self

    def events(self) -> str:
        """What kubelet said about it."""
        return self.lab.kubectl(
            "get", "events", "--field-selector", f"involvedObject.name={self.name}",
            "-o", "custom-columns=REASON:.reason,MESSAGE:.message", check=False,
        ).stdout

    def delete(self, *, wait: bool = True) -> None:
        """Deletes it, and waits until the API no longer has it: its sandbox is gone then."""
        self.lab.kubectl("delete", "pod", self.name, "--ignore-not-found", "--wait=false")
        if wait:
            self.lab.wait_for(lambda: not self.status(), _GONE_SECONDS, what=f"end of pod {self.name}")

    def exec(self, *words: str, check: bool = True, timeout: float | None = 60) -> subprocess.CompletedProcess:
        """Runs a command in its container."""
        return self.lab.kubectl("exec", self.name, "--", *words, check=check, timeout=timeout)

    def records(self) -> list[dict]:
        """The node's attachment records of this pod."""
        return [record for record in node_records(self.lab, self.node) if record["pod"]["name"] == self.name]

    def attachment(self) -> Attachment:
        """Its only attachment, with everything read where it really is."""
        (record,) = self.records()
        address = self._address(record["ifName"])
        gid, index = self._gid(record["rdma"]["device"], record["ifName"], address)
        return Attachment(record, address, gid, index, self._memlock(), vf_on_pf(self.lab, self.node, record)["vlan"])

    def _address(self, interface: str) -> str:
        words = self.exec("ip", "-4", "-br", "addr", "show", interface).stdout.split()
        return words[2].split("/")[0]

    def _gid(self, device: str, interface: str, address: str) -> tuple[str, int]:
        base = f"/sys/class/infiniband/{device}/ports/1"
        want = ipaddress.IPv6Address(f"::ffff:{address}")
        # One process for the table of many hundred slots; the rest only for the few that match.
        text = want.exploded
        slots = self.exec("grep", "-rl", text, f"{base}/gids", check=False).stdout.split()
        for slot in slots:
            index = slot.rsplit("/", 1)[1]
            attributes = self.exec("cat", f"{base}/gid_attrs/ndevs/{index}", f"{base}/gid_attrs/types/{index}").stdout.splitlines()
            if attributes == [interface, "RoCE v2"]:
                return text, int(index)
        raise LabError(f"pod {self.name}: {device} has no RoCE v2 GID of {address} on {interface}")

    def _memlock(self) -> str:
        for line in self.exec("cat", "/proc/1/limits").stdout.splitlines():
            if line.startswith("Max locked memory"):
                return line.split()[3]
        raise LabError(f"pod {self.name}: no memlock limit in /proc/1/limits")


def node_records(lab: Lab, node: str) -> list[dict]:
    """All attachment records of a node."""
    script = 'cd /var/lib/rocelane/attachments 2>/dev/null || exit 0; for f in *.json; do [ -e "$f" ] && cat "$f" && echo && echo ----; done; true'
    texts = lab.node(node).script(script).stdout.split("----\n")
    return [json.loads(text) for text in texts if text.strip()]


def vf_on_pf(lab: Lab, node: str, record: dict) -> dict:
    """What the PF says of the record's VF: mac, vlan, flags."""
    saved = record["saved"]
    (link,) = json.loads(lab.node(node).run(["ip", "-j", "-d", "link", "show", saved["pfName"]]).stdout)
    (vf,) = [entry for entry in link["vfinfo_list"] if entry["vf"] == saved["vfIndex"]]
    vlans = vf.get("vlan_list") or [{}]
    return {**vf, "vlan": vlans[0].get("vlan", vf.get("vlan", 0)) or 0}


def traffic(server: RdmaPod, client: RdmaPod, server_words: Sequence[str], client_words: Sequence[str]) -> str:
    """Runs a verbs tool as server in one pod and as client in the other; the client's output."""
    command = server.lab.kubectl_command(["exec", server.name, "--", *server_words])
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            return _client(client, client_words)
        except (CommandError, subprocess.TimeoutExpired) as error:
            process.kill()
            raise LabError(f"{' '.join(client_words)}: {error}\nserver: {process.stdout.read() if process.stdout else ''}") from error
        finally:
            # A server whose client never came would wait for ever, in the pod too.
            if process.poll() is None:
                try:
                    process.wait(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    server.exec("pkill", "-f", server_words[0], check=False)


def _client(client: RdmaPod, words: Sequence[str]) -> str:
    # The server listens some moments after its start; the tools give up at the first refused connection.
    def attempt() -> str:
        done = client.exec(*words, check=False, timeout=_TRAFFIC_SECONDS)
        # rdma_cm says REJECTED, with the reason "no such service", where TCP says refused.
        said = (done.stderr + done.stdout).lower()
        refused = any(word in said for word in ("connection refused", "couldn't connect", "cm_event_rejected, error 8"))
        if done.returncode != 0 and not refused:
            raise CommandError(client.name, done)
        return done.stdout if done.returncode == 0 else ""

    return client.lab.wait_for(attempt, 20, what=f"server for {words[0]}", interval=0.3)


def send_latency(server: RdmaPod, client: RdmaPod, rounds: int = 200) -> str:
    """ib_send_lat between the pods on their own devices; its latency in words.

    The tools agree on queue pairs over TCP on the pods' primary network, so that what is measured, or found
    missing, is verbs traffic alone.
    """
    a, b = server.attachment(), client.attachment()
    options = ["-F", "-s", "64", "-n", str(rounds)]
    output = traffic(
        server, client,
        ["ib_send_lat", "-d", a.device, "-x", str(a.gid_index), *options],
        ["ib_send_lat", "-d", b.device, "-x", str(b.gid_index), *options, server.status()["status"]["podIP"]],
    )
    for line in output.splitlines():
        words = line.split()
        if len(words) >= 5 and words[0] == "64" and words[1] == str(rounds):
            return f"{float(words[4]):.0f} µs typical, {float(words[2]):.0f} µs best of {rounds}"
    raise LabError(f"ib_send_lat printed no result:\n{output}")


def connection_manager(server: RdmaPod, client: RdmaPod, rounds: int = 5) -> None:
    """rping: a connection through rdma_cm, by the pod's own address."""
    address = server.attachment().address
    traffic(
        server, client,
        ["rping", "-s", "-a", address, "-C", str(rounds)],
        ["rping", "-c", "-a", address, "-C", str(rounds), "-v"],
    )
