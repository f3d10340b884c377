# SPDX-License-Identifier: Apache-2.0
"""Owns what a node finds in its share: the guest's scripts, its settings, keys and images."""

import hashlib
import json
import shlex
import shutil
from pathlib import Path
from typing import Any

from rocelab import disk, images, netns, pki
from rocelab.layout import GUEST_FILES, Layout
from rocelab.options import Description

POD_NETWORK = "podnet"


def write(state: Layout, lab: Description, index: int) -> None:
    """Fills the share of the node with that number."""
    node = lab.nodes[index]
    share = state.share(node)
    config = share / "config"
    config.mkdir(parents=True, exist_ok=True)
    # Empty at each start: what the node says in here is true of its present boot only.
    for name in ("guest", "state"):
        shutil.rmtree(share / name, ignore_errors=True)
    shutil.copytree(GUEST_FILES, share / "guest")
    (share / "state").mkdir()
    (share / "inbox").mkdir(exist_ok=True)
    state.node_logs(node).mkdir(parents=True, exist_ok=True)

    keys = pki.Pki(state.pki)
    for source, target in (
        (keys.ca, "ca.crt"),
        (keys.certificate(node), "kubelet.crt"),
        (keys.key(node), "kubelet.key"),
        (keys.kubeconfig(node), "kubelet.kubeconfig"),
        (state.ssh / "host_key", "ssh_host_key"),
        (state.ssh / "user_key.pub", "authorized_keys"),
    ):
        shutil.copyfile(source, config / target)
    _write_json(config / "kubelet.json", _kubelet(lab))
    _write_json(config / "podnet.conflist", _pod_network(index))
    _write_settings(config / "node.env", lab, index)
    if lab.options.containerd != "2":
        _copy_images(share)


def _copy_images(share: Path) -> None:
    target = share / "images"
    target.mkdir(exist_ok=True)
    for name in disk.IMAGES:
        shutil.copyfile(images.get(name), target / f"{name}.tar")


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _write_settings(path: Path, lab: Description, index: int) -> None:
    others = [number for number in range(lab.options.nodes) if number != index]
    settings = {
        "NODE_NAME": lab.nodes[index],
        "NODE_ADDRESS": netns.node_address(index),
        "NODE_MAC": mac_address(lab, index, "node"),
        "GATEWAY": netns.HOST_ADDRESS,
        "API_SERVICE": pki.API_SERVICE_ADDRESS,
        "API_PORT": str(pki.API_PORT),
        "POD_ROUTES": " ".join(f"{netns.pod_subnet(n)}@{netns.node_address(n)}" for n in others),
        "CONTAINERD": lab.options.containerd,
    }
    text = "".join(f"{name}={shlex.quote(value)}\n" for name, value in settings.items())
    path.write_text(text, encoding="utf-8")


def mac_address(lab: Description, index: int, port: str) -> str:
    """A MAC address that no other port of this or another lab has: tests compare and trace them."""
    digest = hashlib.sha256(f"{lab.identity} {index} {port}".encode()).hexdigest()
    return ":".join(["52", "54", *(digest[i : i + 2] for i in range(0, 8, 2))])


def _kubelet(lab: Description) -> dict[str, Any]:
    return {
        "apiVersion": "kubelet.config.k8s.io/v1beta1",
        "kind": "KubeletConfiguration",
        "authentication": {
            "anonymous": {"enabled": False},
            "webhook": {"enabled": False},
            "x509": {"clientCAFile": "/share/config/ca.crt"},
        },
        "authorization": {"mode": "AlwaysAllow"},
        "tlsCertFile": "/share/config/kubelet.crt",
        "tlsPrivateKeyFile": "/share/config/kubelet.key",
        "cgroupDriver": "cgroupfs",
        "containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock",
        "failSwapOn": False,
        "featureGates": lab.options.feature_gates,
        # The lab's images come from nowhere else: never collect them.
        "imageGCHighThresholdPercent": 100,
        "evictionHard": {"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
        "runtimeRequestTimeout": "10m",
        "nodeStatusUpdateFrequency": "5s",
        # There is no name service: with a closed port for one, names fail at once, and kubelet is content.
        "clusterDNS": ["127.0.0.1"],
        "clusterDomain": "cluster.local",
    }


def _pod_network(index: int) -> dict[str, Any]:
    bridge = {
        "type": "bridge",
        "bridge": "cni0",
        "isGateway": True,
        "ipMasq": False,
        "hairpinMode": True,
        "ipam": {
            "type": "host-local",
            "ranges": [[{"subnet": netns.pod_subnet(index)}]],
            "routes": [{"dst": "0.0.0.0/0"}],
        },
    }
    return {"cniVersion": "1.0.0", "name": POD_NETWORK, "plugins": [bridge]}
