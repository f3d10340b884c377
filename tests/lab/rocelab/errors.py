# SPDX-License-Identifier: Apache-2.0
"""Owns the one exception the lab raises: what went wrong, where to read more, what to do about it."""

from pathlib import Path


class LabError(Exception):
    """A failure a person can act on."""

    def __init__(self, message: str, *, log: Path | None = None, remedy: str | None = None) -> None:
        self.log = log
        self.remedy = remedy
        parts = [message]
        if log is not None:
            parts.append(f"log: {log}")
        if remedy is not None:
            parts.append(f"remedy: {remedy}")
        super().__init__("; ".join(parts))
