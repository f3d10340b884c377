# SPDX-License-Identifier: Apache-2.0
"""Owns the reading of a GoogleTest program's run: its JSON report and, for skips, its output."""

import json
import re

from runner.outcome import FAILED, PASSED, SKIPPED, Outcome

_SKIP_BLOCK = re.compile(r"^.*: Skipped\n(?P<reason>(?:.*\n)*?)\n?\[  SKIPPED \] (?P<name>\S+)", re.MULTILINE)


def outcomes(rung: str, program: str, report: str | None, output: str, exit_code: int) -> list[Outcome]:
    """One outcome a test. A program that crashed or wrote no report is one failure with its output."""
    if report is None:
        return [Outcome(rung, program, FAILED, f"exit code {exit_code}, no report\n{output}")]
    reasons = {match["name"]: " ".join(match["reason"].split()) for match in _SKIP_BLOCK.finditer(output)}
    found = []
    for suite in json.loads(report)["testsuites"]:
        for test in suite["testsuite"]:
            found.append(_outcome(rung, suite["name"], test, reasons))
    if exit_code != 0 and all(outcome.verdict != FAILED for outcome in found):
        found.append(Outcome(rung, program, FAILED, f"exit code {exit_code} though no test failed\n{output}"))
    return found


def _outcome(rung: str, suite: str, test: dict, reasons: dict[str, str]) -> Outcome:
    name = f"{suite}.{test['name']}"
    if test.get("failures"):
        return Outcome(rung, name, FAILED, "\n".join(failure["failure"] for failure in test["failures"]))
    if test.get("result") == "SKIPPED":
        return Outcome(rung, name, SKIPPED, reasons.get(name, ""))
    return Outcome(rung, name, PASSED)
