# SPDX-License-Identifier: Apache-2.0
"""Owns the control plane: etcd, API server, controller manager and scheduler, as processes on this
machine inside the lab's network namespace."""

from pathlib import Path

from rocelab import gobuild, netns, pki, process, tool
from rocelab.journal import Entry, Journal
from rocelab.kubectl import Kubectl
from rocelab.layout import Layout
from rocelab.options import Options

_ETCD_URL = "http://127.0.0.1:2379"
_PEER_URL = "http://127.0.0.1:2380"
_SERVICE_SUBNET = "10.96.0.0/16"
_POD_SUBNET = "10.244.0.0/16"
_PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
_READY_SECONDS = 120.0


def build_programs() -> None:
    """Builds what is not in the cache: minutes that must not pass while a lab is half up."""
    for name in _PROGRAMS:
        gobuild.get(name)


class ControlPlane:
    """The four processes of one lab."""

    def __init__(self, layout: Layout, journal: Journal, namespace: netns.Netns, keys: pki.Pki) -> None:
        self._layout = layout
        self._journal = journal
        self._namespace = namespace
        self._keys = keys

    def start(self, options: Options) -> None:
        """Starts all four at once; each retries until the ones it needs answer."""
        self._layout.control_plane.mkdir(parents=True, exist_ok=True)
        self._layout.kubectl.symlink_to(gobuild.get("kubectl"))
        self._spawn("etcd", tool.find("etcd"), self._etcd())
        self._spawn("kube-apiserver", gobuild.get("kube-apiserver"), self._api_server(options))

    def start_controllers(self, options: Options) -> None:
        """Starts controller manager and scheduler: after the API server is ready, for one that finds no
        API server waits long before it asks again."""
        gates = _feature_gates(options)
        self._spawn("kube-controller-manager", gobuild.get("kube-controller-manager"), self._controllers() + gates)
        scheduler = [f"--kubeconfig={self._keys.kubeconfig('scheduler')}", "--leader-elect=false", *gates]
        self._spawn("kube-scheduler", gobuild.get("kube-scheduler"), scheduler)

    def wait_ready(self, kubectl: Kubectl) -> None:
        """Waits until the API server says that it is ready."""
        name = "kube-apiserver"
        process.wait_until(
            kubectl.is_ready,
            entry=self._entry(name),
            seconds=_READY_SECONDS,
            what="answer to /readyz",
            log=self._layout.log(name),
            interval=0.3,
        )

    def _entry(self, name: str) -> Entry:
        entry = self._journal.find_process(name)
        assert entry is not None, "waited for before it was started"
        return entry

    def _spawn(self, name: str, program: str | Path, arguments: list[str]) -> None:
        command = self._namespace.command([program, *arguments])
        process.spawn(self._journal, name, command, log=self._layout.log(name), cwd=self._layout.control_plane)

    def _etcd(self) -> list[str]:
        return [
            f"--data-dir={self._layout.control_plane / 'etcd'}",
            f"--listen-client-urls={_ETCD_URL}",
            f"--advertise-client-urls={_ETCD_URL}",
            f"--listen-peer-urls={_PEER_URL}",
            f"--initial-advertise-peer-urls={_PEER_URL}",
            f"--initial-cluster=default={_PEER_URL}",
            # The lab's cluster state is not meant to outlive the machine's power.
            "--unsafe-no-fsync",
        ]

    def _api_server(self, options: Options) -> list[str]:
        keys = self._keys
        return [
            f"--etcd-servers={_ETCD_URL}",
            f"--bind-address={netns.HOST_ADDRESS}",
            # There is no default route to guess an address from.
            f"--advertise-address={netns.HOST_ADDRESS}",
            f"--secure-port={pki.API_PORT}",
            f"--service-cluster-ip-range={_SERVICE_SUBNET}",
            f"--tls-cert-file={keys.certificate('api-server')}",
            f"--tls-private-key-file={keys.key('api-server')}",
            f"--client-ca-file={keys.ca}",
            f"--token-auth-file={keys.tokens}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
            f"--service-account-key-file={keys.service_account_key}",
            f"--service-account-signing-key-file={keys.service_account_key}",
            f"--kubelet-certificate-authority={keys.ca}",
            f"--kubelet-client-certificate={keys.certificate('kubelet-client')}",
            f"--kubelet-client-key={keys.key('kubelet-client')}",
            "--kubelet-preferred-address-types=InternalIP",
            # The agent's DaemonSet is privileged.
            "--allow-privileged=true",
            *_feature_gates(options),
        ]

    def _controllers(self) -> list[str]:
        keys = self._keys
        return [
            f"--kubeconfig={keys.kubeconfig('controller-manager')}",
            "--leader-elect=false",
            "--use-service-account-credentials=true",
            f"--service-account-private-key-file={keys.service_account_key}",
            f"--root-ca-file={keys.ca}",
            f"--cluster-cidr={_POD_SUBNET}",
            # Each node's pod subnet follows from its number, not from the order of registration.
            "--controllers=*,-node-ipam-controller",
        ]


def _feature_gates(options: Options) -> list[str]:
    if not options.feature_gates:
        return []
    text = ",".join(f"{name}={str(value).lower()}" for name, value in options.feature_gates.items())
    return [f"--feature-gates={text}"]
