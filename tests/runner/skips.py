# SPDX-License-Identifier: Apache-2.0
"""Owns the list of skips that are expected: `RUNG  TEST-GLOB  REASON-REGEX` a line."""

import fnmatch
import re
from pathlib import Path


class AllowedSkips:
    """A skip that matches no line is news, and news must not pass silently."""

    def __init__(self, entries: list[tuple[str, str, re.Pattern[str]]]) -> None:
        self._entries = entries

    @classmethod
    def load(cls, path: Path) -> "AllowedSkips":
        """Reads the checked-in list."""
        entries = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.startswith("#"):
                rung, glob, reason = line.split(maxsplit=2)
                entries.append((rung, glob, re.compile(reason)))
        return cls(entries)

    def allows(self, rung: str, name: str, reason: str) -> bool:
        """Whether some line names this rung, test and reason."""
        return any(
            entry_rung == rung and fnmatch.fnmatchcase(name, glob) and pattern.search(reason)
            for entry_rung, glob, pattern in self._entries
        )
