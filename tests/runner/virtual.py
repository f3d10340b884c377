# SPDX-License-Identifier: Apache-2.0
"""Owns the rungs that need the lab: the netns and process programs inside a node, where no kernel feature is
missing, and the Python cases of tests/lab/cases against the whole cluster."""

import importlib
import os
import pkgutil
import sys
import time
import traceback
import unittest
from pathlib import Path

from runner import gtest, programs
from runner.outcome import FAILED, PASSED, SKIPPED, Outcome, Report

_LAB = Path(__file__).parent.parent / "lab"
sys.path.insert(0, str(_LAB))

from rocelab import lifecycle, progress  # noqa: E402
from rocelab.client import Lab, Node  # noqa: E402
from rocelab.layout import Layout, default_directory  # noqa: E402
from rocelab.options import Options  # noqa: E402

# Rung -> package of cases below tests/lab. `lab` is a default rung; the others are called by name.
_CASES = {"lab": "cases", "soak": "soak"}
MORE_RUNGS = tuple(rung for rung in _CASES if rung != "lab")
_GUEST_REPORT = "/tmp/report.json"
_GUEST_SECONDS = 900
# The node's second PF is the tests' own: the lab's configuration leaves it alone.
_PREPARE_PF = """
pf=$(for d in /sys/bus/pci/drivers/igb/0000*; do ls $d/net; done | tail -1)
ip link set $pf up
device=/sys/class/net/$pf/device
if [ "$(cat $device/sriov_numvfs)" = 0 ]; then echo 2 > $device/sriov_numvfs; fi
udevadm settle
echo $pf
"""


def run_rung(build: Path, rung: str, only: str, report: Report) -> None:
    """Brings a lab up where none is, runs the rung, and takes down what it brought up."""
    state = Layout(default_directory())
    was_up = state.description.exists()
    try:
        with lifecycle.exclusive(state):
            lifecycle.up(state, Options())
        lab = Lab.attach()
    except Exception:  # noqa: BLE001 - whatever it is, the rung did not run
        report.add(Outcome(rung, "lab-up", FAILED, traceback.format_exc()))
        return
    report.add(Outcome(rung, "lab-up", PASSED))
    try:
        if rung == "lab":
            _run_in_guest(build, lab.nodes[0], only, report)
        os.environ["ROCELANE_BUILD"] = str(build)
        _run_cases(rung, only, report)
    finally:
        if not was_up and not os.environ.get("ROCELANE_KEEP_LAB"):
            with lifecycle.exclusive(state):
                lifecycle.down(state)


def _run_in_guest(build: Path, node: Node, only: str, report: Report) -> None:
    pf = node.script(_PREPARE_PF).stdout.strip()
    for label in ("netns", "process"):
        for program in programs.declared(build, label):
            if not program.is_gtest:
                continue
            begin = time.monotonic()
            for path in _needed(build, program):
                node.put(path, str(path))
            command = ["env", f"ROCELANE_TEST_PF={pf}", program.command[0], f"--gtest_output=json:{_GUEST_REPORT}"]
            if only:
                command.append(f"--gtest_filter=*{only}*")
            node.run(["rm", "-f", _GUEST_REPORT])
            done = node.run(command, check=False, timeout=_GUEST_SECONDS)
            text = node.run(["cat", _GUEST_REPORT], check=False)
            outcomes = gtest.outcomes(
                "lab", program.name, text.stdout if text.returncode == 0 else None, done.stdout + done.stderr, done.returncode
            )
            for outcome in outcomes:
                report.add(Outcome(outcome.rung, f"node/{outcome.name}", outcome.verdict, outcome.detail))
            progress.say("tests", f"{program.name} in a node: {len(outcomes)} tests in {time.monotonic() - begin:.0f} s")


def _needed(build: Path, program: programs.Program) -> list[Path]:
    """The program and, for the process rung, the built programs it starts: at the same paths as here."""
    here = [Path(program.command[0])]
    if program.name.startswith("process_"):
        for folder in ("cni", "cni/oci-hook", "device-plugin", "node-agent", "tests/support", "tests/lab/switch"):
            here += [path for path in (build / folder).glob("*") if path.is_file() and os.access(path, os.X_OK)]
    return here


class _Recorder(unittest.TestResult):
    def __init__(self, rung: str, report: Report) -> None:
        super().__init__()
        self._rung = rung
        self._report = report
        self._begin = 0.0

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().startTest(test)
        self._begin = time.monotonic()

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        self._add(test, PASSED)

    def addError(self, test: unittest.TestCase, err: tuple) -> None:  # noqa: N802
        self._add(test, FAILED, "".join(traceback.format_exception(*err)))

    def addFailure(self, test: unittest.TestCase, err: tuple) -> None:  # noqa: N802
        self._add(test, FAILED, "".join(traceback.format_exception(*err)))

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: tuple | None) -> None:  # noqa: N802
        # A failed one; the passed are counted with their test.
        if err is not None:
            self._add(test, FAILED, f"{subtest}\n" + "".join(traceback.format_exception(*err)))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        self._add(test, SKIPPED, reason)

    def _add(self, test: unittest.TestCase, verdict: str, detail: str = "") -> None:
        name = ".".join(test.id().split(".")[-2:])
        self._report.add(Outcome(self._rung, name, verdict, detail))
        progress.say("tests", f"{name}: {verdict} in {time.monotonic() - self._begin:.1f} s")


def _run_cases(rung: str, only: str, report: Report) -> None:
    package = importlib.import_module(_CASES[rung])
    loader = unittest.TestLoader()
    recorder = _Recorder(rung, report)
    for module in sorted(entry.name for entry in pkgutil.iter_modules(package.__path__) if entry.name.startswith("test_")):
        suite = loader.loadTestsFromModule(importlib.import_module(f"{package.__name__}.{module}"))
        for case in _flat(suite):
            if only and only not in case.id():
                continue
            unittest.TestSuite([case]).run(recorder)


def _flat(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    cases: list[unittest.TestCase] = []
    for entry in suite:
        cases += _flat(entry) if isinstance(entry, unittest.TestSuite) else [entry]
    return cases
