"""What the bench found, as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

HEAD = ("part", "what", "here", "against", "ratio", "wanted", "met")


@dataclass(frozen=True)
class Finding:
    """One measurement.

    Attributes:
        part: section of the bench.
        what: was measured.
        ours, other: the two figures, with units.
        ratio: how many times better, or the figure that is judged; None if nothing is.
        wanted: what the ratio should reach, None if there is no such wish.
        at_most: the ratio should stay below `wanted` instead.
        note: how it was measured.
        failed: there is no measurement; the note says why.
    """

    part: str
    what: str
    ours: str
    other: str = ""
    ratio: float | None = None
    wanted: float | None = None
    at_most: bool = False
    note: str = ""
    failed: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the wish came true; None without one."""
        if self.failed:
            return False
        if self.ratio is None or self.wanted is None:
            return None
        return self.ratio <= self.wanted if self.at_most else self.ratio >= self.wanted


def table(findings: Sequence[Finding]) -> str:
    """The findings as a Markdown table, and their notes below."""
    rows = [HEAD, *(_cells(finding) for finding in findings)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    notes = [f"- {f.part}, {f.what}: {f.note}" for f in findings if f.note]
    return "\n".join([*lines, "", *notes]) if notes else "\n".join(lines)


def _cells(finding: Finding) -> tuple[str, ...]:
    sign = "<=" if finding.at_most else ">="
    return (
        finding.part,
        finding.what,
        finding.ours,
        finding.other,
        "" if finding.ratio is None else f"{finding.ratio:.2f}",
        "" if finding.wanted is None else f"{sign} {finding.wanted:g}",
        {None: "", True: "yes", False: "NO"}[finding.met],
    )
