"""`scripts/generate.py`: check, plan, run, and say what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.config import GenerateConf
from pipeline.prepare import prepare
from pipeline.run import Summary, run


def generate(conf: GenerateConf) -> int:
    """Makes the datasets; returns the exit code. Raises BadInput."""
    plans = prepare(conf)
    if all(plan.place.is_complete() for plan in plans):
        print("nothing to do, this has been made already: " + ", ".join(str(p.place.dataset) for p in plans))
    summaries = run(plans, conf)
    print(table(summaries))
    return 0 if all(s.episodes == s.wanted for s in summaries) else 1


def table(summaries: Sequence[Summary]) -> str:
    """The result of a run, as text."""
    rows = [("task", "episodes", "attempts", "failed", "dataset")]
    for s in summaries:
        failed = ", ".join(f"{n} {reason}" for reason, n in sorted(s.failures.items(), key=lambda x: (-x[1], x[0])))
        rows.append((s.task, f"{s.episodes}/{s.wanted}", str(s.attempts), failed or "none", str(s.dataset or "-")))
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    short = [s for s in summaries if s.episodes < s.wanted]
    lines += [f"{s.task}: {s.wanted - s.episodes} of {s.wanted} episodes found no seed that succeeds" for s in short]
    return "\n".join(lines)
