# SPDX-License-Identifier: Apache-2.0
"""Owns the Go programs of the lab: Kubernetes, containerd, the CNI plugins and Helm, built from their modules.

All are static. Modules and compiled packages are cached apart from the binaries, so that a changed recipe
costs a link only.
"""

import functools
import os
import re
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rocelab import cache

# The newest `go` line among the modules below. An older Go fetches this one as a module.
_GO_NEEDED = (1, 26, 8)

_KUBERNETES = "1.34.4"
_CONTAINERD = "2.2.9"
_CNI_PLUGINS = "1.10.0"
_HELM = "3.22.0"

# k8s.io/kubernetes replaces these by directories of its own repository, which its module does not contain;
# whoever builds it has to name their published versions.
_STAGING = (
    "api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider cluster-bootstrap "
    "code-generator component-base component-helpers controller-manager cri-api cri-client csi-translation-lib "
    "dynamic-resource-allocation endpointslice externaljwt kms kube-aggregator kube-controller-manager kube-proxy "
    "kube-scheduler kubectl kubelet metrics mount-utils pod-security-admission sample-apiserver"
).split()


@dataclass(frozen=True)
class Program:
    """One Go program: the package it is built from, at which version of its module."""

    package: str
    version: str
    link_flags: str = "-s -w"

    @property
    def in_kubernetes(self) -> bool:
        """Kubernetes does not build by `go install`: its module needs replacements."""
        return self.package.startswith("k8s.io/kubernetes/")


def _kubernetes(command: str) -> Program:
    major, minor, _ = _KUBERNETES.split(".")
    variables = {"gitVersion": f"v{_KUBERNETES}", "gitMajor": major, "gitMinor": minor}
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in variables.items())
    return Program(f"k8s.io/kubernetes/cmd/{command}", _KUBERNETES, f"-s -w {flags}")


def _containerd(command: str) -> Program:
    return Program(f"github.com/containerd/containerd/v2/cmd/{command}", _CONTAINERD)


def _cni(plugin: str) -> Program:
    return Program(f"github.com/containernetworking/plugins/plugins/{plugin}", _CNI_PLUGINS)


NODE_PROGRAMS = ("kubelet", "kube-proxy")
CONTROL_PLANE_PROGRAMS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
CONTAINERD_PROGRAMS = ("containerd", "containerd-shim-runc-v2", "ctr")
_CNI_PACKAGES = ("main/bridge", "main/loopback", "ipam/host-local", "ipam/static", "meta/portmap")
# Not part of a default lab.
ON_DEMAND = ("helm",)
CNI_PLUGINS = tuple(name.split("/")[1] for name in _CNI_PACKAGES)

# In the order of a whole build: what takes longest first, and what shares packages together.
PROGRAMS: dict[str, Program] = {
    **{name: _kubernetes(name) for name in (*NODE_PROGRAMS, *CONTROL_PLANE_PROGRAMS)},
    **{name: _containerd(name) for name in CONTAINERD_PROGRAMS},
    **{name: _cni(package) for name, package in zip(CNI_PLUGINS, _CNI_PACKAGES, strict=True)},
    "helm": Program("helm.sh/helm/v3/cmd/helm", _HELM),
}


def get(name: str) -> Path:
    """The program's binary; built when it is not in the cache."""
    program = PROGRAMS.get(name)
    if program is None:
        raise cache.BuildError(f"no Go program {name!r}; there are {', '.join(PROGRAMS)}")
    content_key = cache.key(program, sys.modules[__name__])
    return cache.artifact(name, content_key, lambda into: _build(name, program, into)) / name


def _build(name: str, program: Program, into: Path) -> None:
    # Two at once would only compile the packages they share twice.
    with cache.lock("go"), tempfile.TemporaryDirectory(dir=cache.subdir("tmp")) as scratch:
        work = Path(scratch)
        flags = ["-trimpath", "-ldflags", program.link_flags]
        if program.in_kubernetes:
            env = _environment()
            _write_kubernetes_module(name, work, env)
            cache.run(name, ["go", "build", *flags, "-o", work / name, program.package], env=env, cwd=work)
        else:
            env = _environment() | {"GOBIN": str(work)}
            cache.run(name, ["go", "install", *flags, f"{program.package}@v{program.version}"], env=env, cwd=work)
        shutil.move(work / name, into / name)


def _write_kubernetes_module(subject: str, work: Path, env: dict[str, str]) -> None:
    """A module that only requires Kubernetes, with every staging module at its published version."""
    published = "v0" + _KUBERNETES.removeprefix("1")
    (work / "go.mod").write_text("module rocelane.local/lab/kubernetes\n\ngo 1.24.0\n")
    edits = [f"-require=k8s.io/kubernetes@v{_KUBERNETES}"]
    for name in _STAGING:
        # The requirement makes the version right where it shows: in paths, and so in the compile cache's keys.
        edits += [f"-require=k8s.io/{name}@{published}", f"-replace=k8s.io/{name}=k8s.io/{name}@{published}"]
    cache.run(subject, ["go", "mod", "edit", *edits], env=env, cwd=work)


@functools.cache
def _environment() -> dict[str, str]:
    """What Go reads from the environment; only the proxy settings stay the user's."""
    go = cache.subdir("go")
    return {
        "GOCACHE": str(go / "build"),
        "GOMODCACHE": str(go / "mod"),
        "GOFLAGS": "-mod=mod -modcacherw",
        "GOTOOLCHAIN": _toolchain(),
        "GOWORK": "off",
        "CGO_ENABLED": "0",
        "GOOS": "linux",
        "GOARCH": "amd64",
    }


def _toolchain() -> str:
    text = cache.run("go", ["go", "env", "GOVERSION"], env={"GOTOOLCHAIN": "local", "GOFLAGS": ""}, cwd=Path(os.sep))
    installed = tuple(int(number) for number in re.findall(r"\d+", text)[:3])
    return "local" if installed >= _GO_NEEDED else "go" + ".".join(str(number) for number in _GO_NEEDED)
