# SPDX-License-Identifier: Apache-2.0
"""Owns the rungs that run on this machine: the test programs that CMake declared, by their label."""

import concurrent.futures
import dataclasses
import json
import os
import subprocess
import tempfile
from pathlib import Path

from runner import gtest
from runner.outcome import FAILED, PASSED, Outcome, Report

# A program that takes longer hangs: the slowest needs well under a minute.
_PROGRAM_SECONDS = 600


@dataclasses.dataclass(frozen=True)
class Program:
    """One declared test program."""

    name: str
    command: list[str]
    directory: str
    is_gtest: bool


def declared(build: Path, label: str) -> list[Program]:
    """What the build directory declares for a rung."""
    listing = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only=json-v1", "-L", f"^{label}$"],
        check=True, capture_output=True, text=True,
    )
    programs = []
    for test in json.loads(listing.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
        programs.append(
            Program(
                test["name"],
                test["command"],
                properties.get("WORKING_DIRECTORY", str(build)),
                # rocelane_test() gives its programs their target's name and no arguments.
                is_gtest=len(test["command"]) == 1 and Path(test["command"][0]).name == test["name"],
            )
        )
    return programs


def run_rung(build: Path, rung: str, only: str, report: Report) -> None:
    """Runs a rung's programs, as many at a time as there are processors."""
    programs = declared(build, rung)
    if not programs:
        report.add(Outcome(rung, "(none)", FAILED, f"{build} declares no {rung} test"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for outcomes in pool.map(lambda program: _run(program, rung, only), programs):
            for outcome in outcomes:
                report.add(outcome)


def _run(program: Program, rung: str, only: str) -> list[Outcome]:
    if not program.is_gtest:
        return [] if only and only not in program.name else [_run_plain(program, rung)]
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "report.json"
        command = [*program.command, f"--gtest_output=json:{path}"]
        if only:
            command.append(f"--gtest_filter=*{only}*")
        code, output = _execute(command, program.directory)
        text = path.read_text(encoding="utf-8") if path.exists() else None
    return gtest.outcomes(rung, program.name, text, output, code)


def _run_plain(program: Program, rung: str) -> Outcome:
    code, output = _execute(program.command, program.directory)
    return Outcome(rung, program.name, PASSED if code == 0 else FAILED, output)


def _execute(command: list[str], directory: str) -> tuple[int, str]:
    try:
        done = subprocess.run(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", timeout=_PROGRAM_SECONDS, check=False,
        )
    except subprocess.TimeoutExpired as error:
        return -1, f"not finished after {_PROGRAM_SECONDS} s\n{(error.output or b'').decode(errors='replace')}"
    return done.returncode, done.stdout
