# SPDX-License-Identifier: Apache-2.0
"""Owns the lab's keys: certificates of API server and kubelets, bearer tokens, kubeconfigs.

Elliptic-curve keys throughout: an RSA key alone takes seconds in an emulated CPU. Clients show tokens
for the same reason; only the API server shows kubelets a certificate.
"""

import base64
import json
import secrets
from collections.abc import Sequence
from pathlib import Path

from rocelab import netns, tool

API_SERVICE_ADDRESS = "10.96.0.1"
API_PORT = 6443
_DAYS = "30"
_NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc"]
# User, group. The Node authorizer knows a kubelet by exactly these.
_COMPONENTS = {
    "admin": ("admin", "system:masters"),
    "controller-manager": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
}


class Pki:
    """The files under one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.ca = directory / "ca.crt"
        self.tokens = directory / "tokens.csv"
        self.service_account_key = directory / "service-account.key"

    def create(self, nodes: Sequence[str]) -> None:
        """Makes everything for a control plane and the named nodes."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        self._authority()
        names = ["kubernetes", "kubernetes.default", "kubernetes.default.svc"]
        names.append("kubernetes.default.svc.cluster.local")
        addresses = ["127.0.0.1", netns.HOST_ADDRESS, API_SERVICE_ADDRESS]
        self._leaf("api-server", "/CN=kube-apiserver", names, addresses, "serverAuth")
        self._leaf("kubelet-client", "/O=system:masters/CN=kube-apiserver", [], [], "clientAuth")
        for index, node in enumerate(nodes):
            subject = f"/O=system:nodes/CN=system:node:{node}"
            self._leaf(node, subject, [node], [netns.node_address(index)], "serverAuth")
        tool.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", self.service_account_key])
        self._identities(nodes)

    def kubeconfig(self, name: str) -> Path:
        """The kubeconfig of a component or node."""
        return self.directory / f"{name}.kubeconfig"

    def certificate(self, name: str) -> Path:
        """A certificate made by create()."""
        return self.directory / f"{name}.crt"

    def key(self, name: str) -> Path:
        """The key of a certificate."""
        return self.directory / f"{name}.key"

    def _authority(self) -> None:
        tool.run(
            ["openssl", "req", "-x509", *_NEW_KEY, "-days", _DAYS, "-subj", "/CN=lab-ca"]
            + ["-addext", "keyUsage=critical,keyCertSign,digitalSignature"]
            + ["-keyout", str(self.key("ca")), "-out", str(self.ca)]
        )

    def _leaf(self, name: str, subject: str, names: list[str], addresses: list[str], usage: str) -> None:
        alternatives = [f"DNS:{item}" for item in names] + [f"IP:{item}" for item in addresses]
        extensions = ["-addext", f"extendedKeyUsage={usage}", "-addext", "basicConstraints=CA:FALSE"]
        if alternatives:
            extensions += ["-addext", f"subjectAltName={','.join(alternatives)}"]
        tool.run(
            ["openssl", "req", "-x509", *_NEW_KEY, "-days", _DAYS, "-subj", subject, *extensions]
            + ["-CA", str(self.ca), "-CAkey", str(self.key("ca"))]
            + ["-keyout", str(self.key(name)), "-out", str(self.certificate(name))]
        )

    def _identities(self, nodes: Sequence[str]) -> None:
        identities = dict(_COMPONENTS)
        identities |= {node: (f"system:node:{node}", "system:nodes") for node in nodes}
        lines = []
        for number, (name, (user, group)) in enumerate(identities.items()):
            token = secrets.token_hex(16)
            lines.append(f'{token},{user},{number},"{group}"' if group else f"{token},{user},{number}")
            self._write_kubeconfig(name, token)
        self.tokens.write_text("\n".join(lines) + "\n", encoding="ascii")
        self.tokens.chmod(0o600)

    def _write_kubeconfig(self, name: str, token: str) -> None:
        authority = base64.b64encode(self.ca.read_bytes()).decode()
        server = f"https://{netns.HOST_ADDRESS}:{API_PORT}"
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "lab", "cluster": {"server": server, "certificate-authority-data": authority}}],
            "users": [{"name": name, "user": {"token": token}}],
            "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": name}}],
            "current-context": "lab",
        }
        path = self.kubeconfig(name)
        path.write_text(json.dumps(config, indent=1), encoding="ascii")
        path.chmod(0o600)
