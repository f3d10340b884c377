# SPDX-License-Identifier: Apache-2.0
"""Owns the command line of scripts/lab."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rocelab import cache, lifecycle, options, process, status
from rocelab.client import Lab
from rocelab.errors import LabError
from rocelab.journal import Journal
from rocelab.layout import Layout, default_directory
from rocelab.options import Options

# Like env(1) and docker: the command never ran. Anything else is the command's own code.
_EXEC_FAILED = 125
_LOGS = ("init", "console", "containerd", "kubelet")


def _up(arguments: argparse.Namespace) -> None:
    if os.geteuid() != 0:
        raise LabError("up makes network namespaces and taps, which needs root", remedy="run it as root")
    if not 1 <= arguments.nodes <= options.MAX_NODES:
        raise LabError(f"--nodes must be between 1 and {options.MAX_NODES}")
    chosen = Options(
        nodes=arguments.nodes,
        kernel=arguments.kernel,
        containerd=arguments.containerd,
        rdma_mode=arguments.rdma_mode,
        feature_gates=options.parse_feature_gates(arguments.feature_gates),
    )
    state = Layout(default_directory())
    with lifecycle.exclusive(state):
        lifecycle.up(state, chosen)
    print(status.table(state, Lab.attach().description))


def _down(_: argparse.Namespace) -> None:
    state = Layout(default_directory())
    if not state.directory.exists():
        return
    with lifecycle.exclusive(state):
        lifecycle.down(state)


def _status(_: argparse.Namespace) -> int:
    state = Layout(default_directory())
    lab = options.load(state.description)
    if lab is None:
        left = [entry for entry in Journal(state.journal).entries() if entry.pid and process.is_alive(entry)]
        print(f"no lab in {state.directory}" + (f"; {len(left)} processes left: run scripts/lab down" if left else ""))
        return 1
    print(status.summary(state, lab))
    print(status.table(state, lab))
    return 0 if lab.complete else 1


def _logs(arguments: argparse.Namespace) -> None:
    state = Layout(default_directory())
    directory = state.node_logs(arguments.node)
    if not directory.is_dir():
        raise LabError(f"no logs of {arguments.node} in {state.logs}")
    for name in arguments.names or _LOGS:
        path = directory / f"{name}.log"
        if not path.exists() and not arguments.names:
            continue
        if not path.exists():
            raise LabError(f"no log {name}; there are {', '.join(sorted(p.stem for p in directory.glob('*.log')))}")
        print(f"==> {path} <==", flush=True)
        with open(path, "rb") as handle:
            while chunk := handle.read(1 << 20):
                sys.stdout.buffer.write(chunk)
        sys.stdout.flush()


def _reboot(arguments: argparse.Namespace) -> None:
    lab = Lab.attach()
    lab.reboot([lab.node(name) for name in arguments.nodes], power_cut=arguments.power_cut)


def _put(arguments: argparse.Namespace) -> None:
    Lab.attach().node(arguments.node).put(arguments.source, arguments.target)


def _image(arguments: argparse.Namespace) -> None:
    lab = Lab.attach()
    if arguments.all == (arguments.archive is not None):
        raise LabError("usage: image NODE ARCHIVE, or image --all ARCHIVE")
    if arguments.all:
        lab.load_image(arguments.node_or_archive)
    else:
        lab.node(arguments.node_or_archive).load_image(arguments.archive)


def _switch(arguments: argparse.Namespace) -> None:
    try:
        request = json.loads(arguments.request)
    except json.JSONDecodeError as error:
        raise LabError(f"the request is not JSON: {error}") from error
    print(json.dumps(Lab.attach().switch(request)))


def _exec(words: Sequence[str]) -> None:
    if not words:
        raise LabError("usage: exec NODE [CMD…]")
    command = list(words[2:] if words[1:2] == ["--"] else words[1:])
    node = Lab.attach().node(words[0])
    if not node.machine.is_running():
        raise LabError(f"{node.name} is off", log=node.machine.console, remedy=f"scripts/lab reboot {node.name}")
    node.shell.replace(command, terminal=not command and sys.stdin.isatty())


def _kubectl(words: Sequence[str]) -> None:
    command = Lab.attach().kubectl_command(words)
    os.execvp(command[0], command)


# Their words belong to another program: argparse must not look at them.
_VERBATIM: dict[str, Callable[[Sequence[str]], None]] = {"exec": _exec, "kubectl": _kubectl}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/lab", description="A Kubernetes on virtual nodes with SR-IOV NICs.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, function: Callable, summary: str) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=summary, description=summary)
        added.set_defaults(function=function)
        return added

    up = command("up", _up, "bring a lab up; all nodes are Ready when it returns")
    defaults = Options()
    up.add_argument("--nodes", type=int, default=defaults.nodes)
    up.add_argument("--kernel", choices=options.KERNELS, default=defaults.kernel)
    up.add_argument("--containerd", choices=options.CONTAINERDS, default=defaults.containerd)
    up.add_argument("--rdma-mode", choices=options.RDMA_MODES, default=defaults.rdma_mode)
    up.add_argument("--feature-gates", default="", metavar="A=true,B=false")
    command("down", _down, "end the lab; nothing but its logs is left")
    command("status", _status, "what runs")
    logs = command("logs", _logs, "a node's logs, also those of a dead one")
    logs.add_argument("node")
    logs.add_argument("names", nargs="*", metavar="NAME", help=f"default: {' '.join(_LOGS)}")
    reboot = command("reboot", _reboot, "restart nodes; they are Ready again when this returns")
    reboot.add_argument("nodes", nargs="+", metavar="NODE")
    reboot.add_argument("--power-cut", action="store_true", help="do not let it shut down")
    put = command("put", _put, "copy a file or directory into a node")
    put.add_argument("node")
    put.add_argument("source", type=Path)
    put.add_argument("target")
    image = command("image", _image, "import an image archive into a node's containerd, or with --all into every one's")
    image.add_argument("--all", action="store_true")
    image.add_argument("node_or_archive", metavar="NODE|ARCHIVE")
    image.add_argument("archive", nargs="?")
    switch = command("switch", _switch, "send one request to the switch")
    switch.add_argument("request", metavar="JSON")
    for name, usage in (("exec", "NODE CMD…: run a command in a node"), ("kubectl", "…: kubectl as administrator")):
        commands.add_parser(name, help=usage)
    return parser


def main(argv: Sequence[str]) -> int:
    """Runs one command; its exit code."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    verbatim = _VERBATIM.get(argv[0]) if argv else None
    try:
        if verbatim is not None:
            verbatim(argv[1:])
            return 0
        arguments = _parser().parse_args(argv)
        return arguments.function(arguments) or 0
    except (LabError, cache.BuildError) as error:
        print(f"scripts/lab: {error}", file=sys.stderr)
        return _EXEC_FAILED if verbatim is not None else 1
    except KeyboardInterrupt:
        cache.end_children()
        print("scripts/lab: interrupted; `scripts/lab down` removes what was started", file=sys.stderr)
        return 128 + signal.SIGINT
    except BrokenPipeError:
        # `scripts/lab logs | head`: nothing is wrong, and nobody is left to tell.
        sys.stdout = open(os.devnull, "w", encoding="ascii")
        return 0
