"""`attempts.jsonl`: one row an attempt, written by the driver alone, and the only memory of what has been tried.

A row is appended and synced at once. A row that a kill tore in half is cut off when the log is next opened; that
attempt is simply made again. Keyed by (task, slot, attempt): a later row replaces an earlier one of the same key.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

WORKER_DIED = "worker_died"
HUNG = "hung"
DEATHS = 2
"""A worker that dies says little about the seed, so the attempt is made once more before the next seed is taken."""


class AttemptLog:
    """The log of one output folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        self._latest: dict[tuple[str, int, int], dict[str, Any]] = {}
        self._deaths: Counter[tuple[str, int, int]] = Counter()
        whole = self._read()
        self._file = path.open("ab")
        if whole != self._file.tell():
            self._file.truncate(whole)
            os.fsync(self._file.fileno())

    def _read(self) -> int:
        """Reads the rows; returns the length of the part that is whole."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole = 0
        for line in data.splitlines(keepends=True):
            try:
                row = json.loads(line)
                self._remember(row)
            except (ValueError, KeyError, TypeError):
                break
            if not line.endswith(b"\n"):
                break
            whole += len(line)
        return whole

    def _remember(self, row: dict[str, Any]) -> None:
        key = (row["task"], row["slot"], row["attempt"])
        self._latest[key] = row
        self._deaths[key] += row["reason"] == WORKER_DIED
        self.rows.append(row)

    def append(self, row: dict[str, Any]) -> bool:
        """Adds a row, on disk when this returns. A second success of the same attempt is not a new row (then False)."""
        last = self._latest.get((row["task"], row["slot"], row["attempt"]))
        if last is not None and last["success"] and row["success"]:
            return False
        start = self._file.tell()
        try:
            self._file.write(json.dumps(row, sort_keys=True, allow_nan=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            os.ftruncate(self._file.fileno(), start)
            raise
        self._remember(row)
        return True

    def verdict(self, task: str, slot: int, attempt: int) -> bool | None:
        """True: it succeeded; False: it failed for good; None: it has to be made (again)."""
        key = (task, slot, attempt)
        row = self._latest.get(key)
        if row is None or (row["reason"] == WORKER_DIED and self._deaths[key] < DEATHS):
            return None
        return bool(row["success"])

    def of(self, task: str) -> list[dict[str, Any]]:
        """The rows of a task."""
        return [row for row in self.rows if row["task"] == task]

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


def failures(rows: list[dict[str, Any]]) -> Counter[str]:
    """Reason -> number of failed attempts."""
    return Counter(row["reason"] for row in rows if not row["success"])
