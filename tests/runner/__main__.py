# SPDX-License-Identifier: Apache-2.0
"""Runs the rungs named on the command line and ends with `N passed, N failed[, N skipped]`."""

import argparse
import sys
import time
from pathlib import Path

from runner import programs, virtual
from runner.outcome import Report
from runner.skips import AllowedSkips

_HOST_RUNGS = ("unit", "netns", "process")
_RUNGS = (*_HOST_RUNGS, "lab")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/test")
    parser.add_argument("--build", type=Path, required=True, help="build directory")
    parser.add_argument("--only", default="", metavar="TEXT", help="only tests whose name has this in it")
    parser.add_argument("rungs", nargs="*", metavar="RUNG", help=f"default: {' '.join(_RUNGS)}; more: {' '.join(virtual.MORE_RUNGS)}")
    arguments = parser.parse_args()
    known = {*_RUNGS, *virtual.MORE_RUNGS}
    unknown = [rung for rung in arguments.rungs if rung not in known]
    if unknown:
        parser.error(f"no rung {', '.join(unknown)}; there are {', '.join(sorted(known))}")
    return arguments


def main() -> int:
    """Exit code 0 when nothing failed and something ran."""
    arguments = _arguments()
    arguments.build = arguments.build.resolve()
    report = Report(AllowedSkips.load(Path(__file__).parent.parent / "allowed-skips.txt"))
    for rung in arguments.rungs or _RUNGS:
        begin = time.monotonic()
        if rung in _HOST_RUNGS:
            programs.run_rung(arguments.build, rung, arguments.only, report)
        else:
            virtual.run_rung(arguments.build, rung, arguments.only, report)
        print(f"== {rung}: {report.counts(rung)} in {time.monotonic() - begin:.0f} s", flush=True)
    report.print_summary()
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main())
