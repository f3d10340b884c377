# SPDX-License-Identifier: Apache-2.0
"""Owns the installation of this checkout's rocelane into a lab: images, manifests, the lab's configuration."""

import json
import subprocess
from pathlib import Path

from rocelab import progress
from rocelab.client import Lab
from rocelab.errors import LabError

_CHECKOUT = Path(__file__).resolve().parents[3]
_CONFIG = _CHECKOUT / "tests" / "lab" / "manifests" / "config.json"
_MANIFEST = _CHECKOUT / "manifests" / "rocelane.yaml"
_NAMESPACE = "rocelane"
_ROLLOUT_SECONDS = 180
_DEVICES_SECONDS = 120

RESOURCE = "rdma/roce"


def config() -> dict:
    """The lab's configuration, for tests that change a part of it."""
    return json.loads(_CONFIG.read_text(encoding="utf-8"))


def install(lab: Lab, build: Path, chosen: dict | None = None) -> None:
    """Builds the images, brings them to the nodes, applies the manifests, and returns when every node offers devices."""
    archives = build / "images"
    with progress.step("deploy", "building images"):
        _run([str(_CHECKOUT / "images" / "build"), "--build", str(build), "--output", str(archives)])
    with progress.step("deploy", "bringing images to the nodes"):
        for archive in sorted(archives.glob("*.tar")):
            lab.load_image(archive)
    with progress.step("deploy", "applying manifests"):
        apply(lab, chosen or config())
    with progress.step("deploy", f"waiting until every node offers {RESOURCE}"):
        wait_devices(lab)


def apply(lab: Lab, chosen: dict) -> None:
    """The manifests with the given configuration in place of their example."""
    documents = [text for text in _MANIFEST.read_text(encoding="utf-8").split("\n---\n") if "\nkind: ConfigMap\n" not in f"\n{text}"]
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "rocelane-config", "namespace": _NAMESPACE},
        "data": {"config.json": json.dumps(chosen, indent=2)},
    }
    # The namespace is the first document; the ConfigMap must be there before the pods that mount it.
    lab.apply("\n---\n".join([documents[0], json.dumps(config_map), *documents[1:]]))


def allocatable(lab: Lab, node: str) -> int:
    """How many devices the node offers to pods now."""
    answer = json.loads(lab.kubectl("get", "node", node, "-o", "json").stdout)
    return int(answer["status"]["allocatable"].get(RESOURCE, "0"))


def wait_devices(lab: Lab, at_least: int = 1) -> None:
    """Returns when every node offers devices; else says what the programs said."""
    try:
        lab.wait_for(
            lambda: all(allocatable(lab, node.name) >= at_least for node in lab.nodes), _DEVICES_SECONDS, what=RESOURCE
        )
    except LabError as error:
        raise LabError(f"{error}\n{describe(lab)}") from error


def describe(lab: Lab) -> str:
    """Pods and logs of rocelane, for a failure's report."""
    parts = [lab.kubectl("-n", _NAMESPACE, "get", "pods", "-o", "wide", check=False).stdout]
    for name in ("rocelane-agent", "rocelane-device-plugin"):
        parts.append(lab.kubectl("-n", _NAMESPACE, "logs", "--tail=30", "--prefix", f"daemonset/{name}", check=False).stdout)
    return "\n".join(parts)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise LabError(f"{command[0]} failed:\n{done.stdout[-3000:]}")
