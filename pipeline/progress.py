"""How far a run is: bars on a terminal, a line every few seconds elsewhere. Belongs to the driver, writes to stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

LINE_EVERY_S = 5.0


@dataclass
class Tally:
    """The counts of one task.

    Attributes:
        name: the task.
        total: episodes wanted.
        done: episodes finished, of those `kept` by an earlier run.
        recorded: episodes simulated and verified that are still to be drawn.
        given_up: episodes for which no seed succeeded.
        attempts, failures: attempts of all runs, and the failed ones by reason.
    """

    name: str
    total: int
    done: int = 0
    kept: int = 0
    recorded: int = 0
    given_up: int = 0
    attempts: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    def describe(self) -> str:
        """The failures by reason, most frequent first."""
        failed = ", ".join(f"{n} {reason}" for reason, n in sorted(self.failures.items(), key=lambda x: (-x[1], x[0])))
        parts = [f"{self.attempts} attempts", f"failed: {failed or 'none'}"]
        if self.recorded:
            parts.insert(0, f"{self.recorded} to draw")
        if self.given_up:
            parts.append(f"{self.given_up} given up")
        return ", ".join(parts)


def pace(tally: Tally, seconds: float) -> str:
    """Episodes an hour in this run, and the time left at that pace."""
    fresh = tally.done - tally.kept
    if fresh < 1 or seconds <= 0:
        return "no pace yet"
    rate = fresh / seconds
    left = (tally.total - tally.done - tally.given_up) / rate
    return f"{rate * 3600:.0f}/h, {_duration(left)} left"


class Display:
    """Shows the tallies. Use as a context; call `show` as often as you like."""

    def __init__(self, tallies: Sequence[Tally], stream: TextIO | None = None, every: float = LINE_EVERY_S) -> None:
        self._tallies, self._stream, self._every = tallies, stream or sys.stderr, every
        self._start = time.monotonic()
        self._last, self._said = -every, ""
        self._bars: Progress | None = None
        self._ids: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._stream.isatty():
            columns = (
                TextColumn("{task.fields[name]}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[pace]}"),
                TextColumn("{task.fields[told]}"),
            )
            self._bars = Progress(*columns, console=Console(file=self._stream), transient=False)
            for tally in self._tallies:
                self._ids[tally.name] = self._bars.add_task("", total=tally.total, name=tally.name, pace="", told="")
            self._bars.start()
        self.show()
        return self

    def __exit__(self, *error: object) -> None:
        self.show(last=True)
        if self._bars is not None:
            self._bars.stop()

    def show(self, last: bool = False) -> None:
        """Brings the display up to date, if it is time."""
        seconds = time.monotonic() - self._start
        if self._bars is not None:
            for tally in self._tallies:
                told, rate = tally.describe(), pace(tally, seconds)
                self._bars.update(self._ids[tally.name], completed=tally.done, pace=rate, told=told)
        elif last or seconds - self._last >= self._every:
            self._last = seconds
            lines = [
                f"{t.name}: {t.done}/{t.total} done, {t.describe()}"
                for t in self._tallies
                if last or t.done + t.given_up < t.total
            ]
            # Time alone is no news: a line that would only repeat the counts waits a minute.
            text = "\n".join(lines)
            if not lines or (text == self._said and (last or seconds - self._told < 60)):
                return
            self._said, self._told = text, seconds
            for tally, line in zip(
                [t for t in self._tallies if last or t.done + t.given_up < t.total], lines, strict=True
            ):
                print(f"[{_duration(seconds)}] {line}, {pace(tally, seconds)}", file=self._stream, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
