# SPDX-License-Identifier: Apache-2.0
"""Owns what a person sees while something long runs: lines on stderr with elapsed seconds.

Lines, not a moving bar, because several artifacts are built at the same time and CI keeps the output.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

# A build that says nothing for longer than this looks hung.
_HEARTBEAT_SECONDS = 20.0
_start = time.monotonic()


def say(subject: str, text: str) -> None:
    """One line: seconds since the program started, who speaks, and what it says."""
    sys.stderr.write(f"[{time.monotonic() - _start:6.1f} s] {subject}: {text}\n")
    sys.stderr.flush()


@contextlib.contextmanager
def step(subject: str, text: str) -> Iterator[None]:
    """Announces `text`, repeats it while the body runs, and says how long it took."""
    begin = time.monotonic()
    done = threading.Event()

    def beat() -> None:
        while not done.wait(_HEARTBEAT_SECONDS):
            say(subject, f"{text} … {time.monotonic() - begin:.0f} s")

    say(subject, text)
    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    outcome = "failed"
    try:
        yield
        outcome = "done"
    finally:
        done.set()
        thread.join()
        say(subject, f"{text}: {outcome} in {time.monotonic() - begin:.1f} s")
