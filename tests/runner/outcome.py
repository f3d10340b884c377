# SPDX-License-Identifier: Apache-2.0
"""Owns the outcomes of single tests and what is said of them at the end."""

import dataclasses
from collections import Counter

from runner.skips import AllowedSkips

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
_DETAIL_LINES = 60


@dataclasses.dataclass(frozen=True)
class Outcome:
    """One test: `detail` is a failure's output or a skip's reason."""

    rung: str
    name: str
    verdict: str
    detail: str = ""


class Report:
    """All outcomes; a skip that is not in the checked-in list counts as a failure."""

    def __init__(self, allowed: AllowedSkips) -> None:
        self._allowed = allowed
        self._outcomes: list[Outcome] = []

    def add(self, outcome: Outcome) -> None:
        """Counts it; failures and skips are printed at once."""
        if outcome.verdict == SKIPPED and not self._allowed.allows(outcome.rung, outcome.name, outcome.detail):
            detail = f"skipped, and this skip is not in tests/allowed-skips.txt: {outcome.detail or 'no reason given'}"
            outcome = dataclasses.replace(outcome, verdict=FAILED, detail=detail)
        self._outcomes.append(outcome)
        if outcome.verdict == SKIPPED:
            print(f"SKIPPED {outcome.rung} {outcome.name}: {outcome.detail}", flush=True)
        elif outcome.verdict == FAILED:
            lines = outcome.detail.strip().splitlines()
            shown = lines if len(lines) <= _DETAIL_LINES else ["…", *lines[-_DETAIL_LINES:]]
            print(f"FAILED {outcome.rung} {outcome.name}\n    " + "\n    ".join(shown), flush=True)

    def counts(self, rung: str | None = None) -> str:
        """`N passed, N failed[, N skipped]` of one rung or of all."""
        count = Counter(outcome.verdict for outcome in self._outcomes if rung in (None, outcome.rung))
        text = f"{count[PASSED]} passed, {count[FAILED]} failed"
        return text + (f", {count[SKIPPED]} skipped" if count[SKIPPED] else "")

    def print_summary(self) -> None:
        """The failed tests' names, then the closing line."""
        failed = [outcome for outcome in self._outcomes if outcome.verdict == FAILED]
        for outcome in failed:
            print(f"failed: {outcome.rung} {outcome.name}")
        print(self.counts(), flush=True)

    def exit_code(self) -> int:
        """0 only if something passed and nothing failed."""
        verdicts = {outcome.verdict for outcome in self._outcomes}
        return 0 if PASSED in verdicts and FAILED not in verdicts else 1
