"""Judges captions: do they cover the episode, and does every phrase mean just what the recorded term is about?

Shares no code with annotate/. What it cannot read is a problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import atan2, degrees
from typing import Any, Protocol

from verify.phrases import Mention, mentions, plural_of

TICKS_PER_SECOND = 20
STAGE_SECONDS = (5.0, 60.0)
"""A stage is meant to take 10 to 50 s."""
SUBTASK_SECONDS = 40.0
"""A subtask is meant to take about 10 s."""
STAGE_CHARACTERS = 120
SUBTASK_CHARACTERS = 110
HIDDEN = "what is inside"
AGAIN = ("again", "once more", "this time")
PRONOUNS = ("they", "them", "these", "those", "he", "she", "its", "their")
WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: value for value, word in enumerate(WORDS, 1)}
MOVED = {"away from you": 0.0, "towards you": 180.0}
MOVING = {"forward": 0.0, "back": 180.0}
WAYS = (MOVING, MOVED)
DIRECTION = tuple(rf"\b({'|'.join(ways)})( and to the (?:left|right))?\b|\bto the (left|right)\b" for ways in WAYS)
"""Of the robot itself, and of what it moves."""

Record = dict[str, Any]


class Row(Protocol):
    """Ticks `start` to `end` (exclusive) and their captions."""

    start: int
    end: int
    stage: str
    subtask: str


@dataclass(frozen=True)
class Durations:
    """Seconds, in the order of the episode."""

    stages: tuple[float, ...]
    subtasks: tuple[float, ...]


def durations(timeline: Sequence[Record]) -> Durations:
    """How long the stages and subtasks of a recording's timeline take; rows with equal terms are one."""

    def seconds(*keys: str) -> tuple[float, ...]:
        runs = [list(run) for _, run in groupby(timeline, lambda row: [row[key] for key in keys])]
        return tuple((run[-1]["end"] - run[0]["start"]) / TICKS_PER_SECOND for run in runs)

    return Durations(seconds("stage"), seconds("stage", "subtask"))


def check_captions(instance: Record, timeline: Sequence[Record], rows: Sequence[Row]) -> list[str]:
    """What is wrong with the captions of a recording; empty if nothing is.

    Args:
        instance: the record of `instance.json`; nouns of its specification may not be said before they are seen.
        timeline: the recorded rows {start, end, stage: term, subtask: term, known: [thing ...]}.
        rows: the captions.
    """
    problems = [f"timeline: {p}" for p in _coverage([(r["start"], r["end"]) for r in timeline])]
    problems += _coverage([(row.start, row.end) for row in rows])
    if problems:
        return problems
    if rows[-1].end != timeline[-1]["end"]:
        return [f"captions end at tick {rows[-1].end}, the episode at {timeline[-1]['end']}"]
    nouns = _all_nouns(instance, timeline)
    problems += _judge_subtasks(timeline, rows, nouns)
    problems += _judge_stages(timeline, rows, nouns)
    problems += _judge_wordings(timeline, rows)
    return problems


def _coverage(spans: Sequence[tuple[int, int]]) -> Iterator[str]:
    if not spans:
        yield "there are no rows"
    tick = 0
    for start, end in spans:
        if end <= start:
            yield f"the row of ticks {start} to {end} is empty"
        if start != tick:
            yield f"ticks {tick} to {start} are covered {'twice' if start < tick else 'by no row'}"
        tick = end


def _judge_subtasks(timeline: Sequence[Record], rows: Sequence[Row], nouns: set[str]) -> Iterator[str]:
    begins = {row["start"]: row for row in timeline}
    for row in rows:
        where = f"tick {row.start}, subtask {row.subtask!r}"
        source = begins.get(row.start)
        if source is None:
            yield f"{where}: no recorded row begins there"
            continue
        covered = [r for r in timeline if r["start"] < row.end and r["end"] > row.start]
        if any((r["stage"], r["subtask"]) != (source["stage"], source["subtask"]) for r in covered):
            yield f"{where}: goes on when something else is done"
        for problem in _judge_text(row.subtask, source["subtask"], source["known"], nouns, SUBTASK_CHARACTERS):
            yield f"{where}: {problem}"
        if any(name not in {t["name"] for t in source["known"]} for name in source["subtask"]["things"].values()):
            yield f"{where}: its term is about a thing that has not been seen"
    for seconds in durations(timeline).subtasks:
        if seconds > SUBTASK_SECONDS:
            yield f"a subtask takes {seconds:.1f} s, more than {SUBTASK_SECONDS:.0f}"


def _judge_stages(timeline: Sequence[Record], rows: Sequence[Row], nouns: set[str]) -> Iterator[str]:
    for _, group in groupby(timeline, lambda r: r["stage"]):
        run = list(group)
        first, start, end = run[0], run[0]["start"], run[-1]["end"]
        texts = {row.stage for row in rows if row.start < end and row.end > start}
        where = f"tick {start}, stage {sorted(texts)}"
        if len(texts) != 1:
            yield f"{where}: one stage has {len(texts)} texts"
        for text in sorted(texts):
            for problem in _judge_text(text, first["stage"], first["known"], nouns, STAGE_CHARACTERS):
                yield f"{where}: {problem}"
        seconds = (end - start) / TICKS_PER_SECOND
        if not STAGE_SECONDS[0] <= seconds <= STAGE_SECONDS[1]:
            yield f"{where}: takes {seconds:.1f} s, not {STAGE_SECONDS[0]:.0f} to {STAGE_SECONDS[1]:.0f}"


def _judge_wordings(timeline: Sequence[Record], rows: Sequence[Row]) -> Iterator[str]:
    """Two verbs do not share a wording: a caption that got to the wrong row says what another row does."""
    begins = {row["start"]: row for row in timeline}
    for level in ("stage", "subtask"):
        verbs: dict[str, str] = {}
        for row in rows:
            if (source := begins.get(row.start)) is None:
                continue
            text, verb = getattr(row, level), source[level]["verb"]
            first = next(r for r in timeline if r["stage"] == source["stage"]) if level == "stage" else source
            wording = re.sub(DIRECTION[bool(source[level]["things"])], "", _blank(text, mentions(text, first["known"])))
            wording = re.sub(r"_+", "_", wording).strip()
            if verbs.setdefault(wording, verb) != verb:
                yield f"tick {row.start}, {level} {text!r}: is about {verb!r} in the words of {verbs[wording]!r}"


def _judge_text(text: str, term: Record, known: Sequence[Record], nouns: set[str], most: int) -> Iterator[str]:
    if not re.fullmatch(r"[A-Z][a-z]+(?:,? [A-Za-z0-9'-]+)*", text) or text.startswith("The "):
        yield "is not an imperative in sentence case without a full stop"
    if len(text) > most:
        yield f"has {len(text)} characters, more than {most}"
    found = mentions(text, known)
    yield from (m.problem for m in found if m.problem)
    seen = {t["name"] for t in known}
    about = Counter(name for name in term["things"].values() if name in seen)
    named = Counter(m.names[0] for m in found if len(m.names) == 1)
    if named != about:
        yield f"names {sorted(named.elements())}, the term is about {sorted(about.elements())}"
    yield from _judge_rest(_blank(text, found), term, known, nouns)


def _blank(text: str, found: Sequence[Mention]) -> str:
    """The text with its phrases struck out."""
    for m in found:
        text = text[: m.start] + "_" * (m.end - m.start) + text[m.end :]
    return text


def _judge_rest(rest: str, term: Record, known: Sequence[Record], nouns: set[str]) -> Iterator[str]:
    """The words around the phrases."""
    facts = term["facts"]
    lower = rest.lower()
    seen = {noun for t in known for noun in (t["noun"], t["traits"].get("part")) if noun}
    for noun in sorted(nouns - seen):
        if _says(lower, noun.lower()) or _says(lower, plural_of(noun).lower()):
            yield f"speaks of {noun!r}, which has not been seen"
    hidden = any(name not in {t["name"] for t in known} for name in term["things"].values())
    if _says(lower, HIDDEN) != hidden:
        yield f"{'does not say' if hidden else 'says'} {HIDDEN!r} of things that have{' not' * hidden} been seen"
    for word in PRONOUNS:
        if _says(lower, word):
            yield f"says {word!r}, which could be anything"
    if _says(lower, "it") and not re.search(r"_.*\bit\b", lower):
        yield "says 'it' before anything is named"
    for word, value in NUMBERS.items():
        if _says(lower, word) and value not in [v for v in facts.values() if type(v) is int]:
            yield f"says {word!r}, which the term does not"
    if any(_says(lower, word) for word in AGAIN) and not facts.get("tried_before"):
        yield "says that it was tried before"
    yield from _judge_direction(lower, facts.get("direction"), moving=not term["things"])


def _judge_direction(lower: str, vector: Sequence[float] | None, *, moving: bool) -> Iterator[str]:
    """Directions mean the nearest of the four ways (30 degrees to each side) or the diagonals in between."""
    ways, pattern = WAYS[not moving], DIRECTION[not moving]
    said = list(re.finditer(pattern, lower))
    if re.search(r"\b(left|right|you|your|ahead|behind|forward|backward)\b", re.sub(pattern, "", lower)):
        yield "has a word of position outside of a phrase"
    if vector is None:
        if not said:
            return
        yield f"says {said[0][0]!r}, but the term has no direction"
        return
    if len(said) > 1:
        yield "has more than one direction"
    for match in said:
        angle, room = ways.get(match[1] or "", 0.0), 30.0
        if match[3]:
            angle = 90.0 if match[3] == "left" else -90.0
        elif match[2]:
            side = 1.0 if match[2].endswith("left") else -1.0
            angle, room = side * (45.0 if angle == 0.0 else 135.0), 15.0
        off = (degrees(atan2(vector[1], vector[0])) - angle + 180.0) % 360.0 - 180.0
        if abs(off) > room + 1e-6:
            yield f"says {match[0]!r}, which is {abs(off):.0f} degrees off"


def _says(lower: str, words: str) -> bool:
    return re.search(rf"\b{re.escape(words)}\b", lower) is not None


def _all_nouns(instance: Record, timeline: Sequence[Record]) -> set[str]:
    """Everything this episode has a noun for, whether seen or not."""
    nouns = {thing["noun"] for row in timeline for thing in row["known"]}

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("noun"), str):
                nouns.add(value["noun"])
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(instance.get("spec", {}))
    return nouns
