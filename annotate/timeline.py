"""The caption rows of a recording: every tick has exactly one stage and one subtask.

A stage is a run of timeline rows with equal stage terms, a subtask a run within it with equal subtask terms. Its text
is written once, for what was known and where the robot stood when it began.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.errors import TimelineError, WordingError
from annotate.refer import Namer
from annotate.style import Style
from annotate.text import say, verbs_of
from tasks.base import streams
from tasks.terms import Term, Thing


@dataclass(frozen=True)
class CaptionRow:
    """Ticks `start` to `end` (exclusive) and their two captions."""

    start: int
    end: int
    stage: str
    subtask: str


def captions(instance: dict[str, Any], timeline: Sequence[dict[str, Any]]) -> list[CaptionRow]:
    """Puts a recording's timeline into words. The same recording always gives the same words.

    Args:
        instance: the record of `instance.json`.
        timeline: rows of `timeline.json`: {start, end, stage: term, subtask: term, known: [thing ...]}.

    Raises:
        TimelineError: the rows do not follow each other from tick 0 on.
        WordingError: a row cannot be put into words: a thing not seen, an unknown verb (says which and where).
    """
    check_coverage(timeline)
    style = Style.draw(streams(instance["task"], instance["seed"])["wording"].spawn(1)[0])
    namer, verbs = Namer(style), verbs_of(instance["task"])
    rows: list[CaptionRow] = []
    for stage_run in _runs(timeline, "stage"):
        stage = _text(stage_run[0], "stage", namer, verbs)
        for run in _runs(stage_run, "subtask"):
            rows.append(CaptionRow(run[0]["start"], run[-1]["end"], stage, _text(run[0], "subtask", namer, verbs)))
    return rows


def check_coverage(timeline: Sequence[dict[str, Any]]) -> None:
    """Raises TimelineError if rows are missing, empty, overlap or leave a gap."""
    if not timeline:
        raise TimelineError("the timeline has no rows")
    tick = 0
    for row in timeline:
        if row["start"] != tick or row["end"] <= row["start"]:
            raise TimelineError(f"the row of ticks {row['start']} to {row['end']} does not continue from tick {tick}")
        tick = row["end"]


def _runs(rows: Sequence[dict[str, Any]], key: str) -> Iterator[list[dict[str, Any]]]:
    run: list[dict[str, Any]] = []
    for row in rows:
        if run and row[key] != run[0][key]:
            yield run
            run = []
        run.append(row)
    yield run


def _text(row: dict[str, Any], level: str, namer: Namer, verbs: Any) -> str:
    known = [Thing.from_json(thing) for thing in row["known"]]
    try:
        return say(Term.from_json(row[level]), known, namer, verbs)
    except WordingError as error:
        raise type(error)(f"tick {row['start']}, {level}: {error}") from error
