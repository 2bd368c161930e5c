"""Reads referring expressions: which known thing does "the second bolt from the left" mean?

Written from the grammar that annotate/refer.py documents, and from nothing else of it: this is the listener who judges
the speaker. A phrase that does not parse, or means no thing or more than one, has a problem instead of a name. Things
are plain `known` records of a timeline row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

CLEAR = 0.02
CLEAR_HEIGHT = 0.05
ROUNDED = 0.01
ROUNDING_ERROR = 1e-9
COUNT = {word: n for n, word in enumerate(("two", "three", "four", "five", "six"), 2)}
NTH = {word: n for n, word in enumerate(("second", "third", "fourth", "fifth", "sixth"), 2)}
FIRST = {
    "leftmost": "left",
    "rightmost": "right",
    "nearest": "near",
    "farthest": "far",
    "top": "top",
    "bottom": "bottom",
}
OF_TWO = {"left": "left", "right": "right", "nearer": "near", "farther": "far", "upper": "top", "lower": "bottom"}
SCOPES = ("behind you", "on your left", "on your right", "out of view")
AFTER_NOUN = ("with", "where")

Record = dict[str, Any]
Words = tuple[str, ...]


class UnreadableError(ValueError):
    """A phrase that means nothing, or not one thing."""


@dataclass(frozen=True)
class Mention:
    """A phrase of a caption.

    Attributes:
        start, end: characters.
        names: the things it means; more than one only for "the bolts".
        problem: why it means nothing, or "".
    """

    start: int
    end: int
    names: tuple[str, ...]
    problem: str = ""


def mentions(text: str, known: Sequence[Record]) -> list[Mention]:
    """Every "the ..." of a caption, except in "to the left" and "to the right"."""
    grammar = _Grammar(known)
    found: list[Mention] = []
    at = 0
    while start := re.compile(r"\bthe\b", re.IGNORECASE).search(text, at):
        match = grammar.match(text, start.start())
        if match is None:
            if re.search(r"\bto the (left|right)\b", text[max(0, start.start() - 3) : start.end() + 6]) is None:
                words = " ".join(text[start.start() :].split()[:4])
                found.append(Mention(start.start(), start.end(), (), f"cannot read {words!r} of what has been seen"))
            at = start.end()
            continue
        try:
            found.append(Mention(start.start(), match.end(), grammar.meaning(match)))
        except UnreadableError as error:
            found.append(Mention(start.start(), match.end(), (), f"{match[0]!r} {error}"))
        at = match.end()
    return found


def plural_of(noun: str) -> str:
    """Of the noun's last word."""
    for ending, change in (
        (r"(?<=[bcdfghjklmnpqrstvwxz])y$", "ies"),
        (r"(?<=kni)fe$", "ves"),
        (r"(?<=shel)f$|(?<=loa)f$", "ves"),
        (r"(?<=tomato)$|(?<=potato)$", "es"),
        (r"(?<=s)$|(?<=x)$|(?<=ch)$|(?<=sh)$", "es"),
    ):
        if re.search(ending, noun):
            return re.sub(ending, change, noun, count=1)
    return noun + "s"


def tails(words: str) -> list[str]:
    """ "water bottle" -> "water bottle", "bottle": what a thing of this noun also answers to."""
    parts = words.split()
    return [" ".join(parts[i:]) for i in range(len(parts))]


@lru_cache(maxsize=64)
def _patterns(nouns: Words, adjectives: Words, withs: Words, wheres: Words) -> dict[str, re.Pattern[str]]:
    """The phrases that these words make, by kind."""
    after = f"(?P<with> with {_any(withs)})?(?P<where> {_any(wheres)})?"
    core = f"(?P<core>(?:{_any(adjectives)} )*{_any(nouns)})\\b{after}"
    cores = f"(?P<core>(?:{_any(adjectives)} )*{_any(map(plural_of, nouns))})\\b{after}"
    scope = f"(?: (?P<scope>{_any(SCOPES)}))?"
    nth, first, of_two = _any(NTH), _any(FIRST), _any(OF_TWO)
    side = "(?:left|right|top|bottom)"
    centimetres = r"(?P<x>\d+ cm (?:ahead|behind)) and (?P<y>\d+ cm to the (?:left|right))"
    centimetres += r"(?: and (?P<z>\d+ cm (?:up|down)))?"
    kinds = {
        "slice": f"(?P<which>{nth} (?:nearest|farthest)|{nth} from the {side}|(?:{first}|{of_two})(?: one)?)"
        f" of the (?P<count>{_any(COUNT)}) (?P<outer>{first}) {cores}",
        "metric": f"{core} {centimetres}{scope}",
        "counted": f"(?P<counted>{nth}) {core} from the (?P<from>{side})",
        "depth": f"(?P<nth>{nth}) (?P<by>nearest|farthest) {core}{scope}",
        "you": f"{core} (?P<you>nearest to you|farthest from you)",
        "end": f"(?P<end>{first}|{of_two}) {core}{scope}",
        "all": cores,
        "plain": f"{core}{scope}",
    }
    return {kind: re.compile(f"the {pattern}(?![a-z-])") for kind, pattern in kinds.items()}


class _Grammar:
    """The phrases that can be about these things."""

    def __init__(self, known: Sequence[Record]) -> None:
        self._known = known
        traits = [t["traits"] for t in known]
        nouns = {tail for t in known for noun in _nouns(t) for tail in tails(noun)}
        before = {tail for own in traits for k, v in own.items() if k not in (*AFTER_NOUN, "part") for tail in tails(v)}
        after = ({own[key] for own in traits if key in own} for key in AFTER_NOUN)
        self._singular = {plural_of(n): n for n in nouns}
        self._forms = _patterns(*(tuple(sorted(words)) for words in (nouns, before, *after)))

    def match(self, text: str, at: int) -> re.Match[str] | None:
        """The longest phrase that begins here."""
        found = [(kind, m) for kind, pattern in self._forms.items() if (m := pattern.match(text, at))]
        return max((m for _, m in found), key=lambda m: m.end(), default=None)

    def meaning(self, match: re.Match[str]) -> tuple[str, ...]:
        """The names that a phrase means. Raises UnreadableError."""
        kind = next(k for k, pattern in self._forms.items() if pattern is match.re)
        said = match.groupdict()
        core = said["core"]
        if kind in ("slice", "all"):
            head = max((p for p in self._singular if _ends_with(core, p)), key=len)
            core = core.removesuffix(head) + self._singular[head]
        after = {key: said[key] for key in AFTER_NOUN}
        answering = [t for t in self._known if _answers(t, core, after)]
        if kind == "all":
            if len(answering) < 2:
                raise UnreadableError("speaks of several where fewer than two have been seen")
            return tuple(t["name"] for t in answering)
        group = _compete(answering, said.get("scope"), plain=kind == "plain")
        if kind == "plain":
            return (_single(group),)
        if kind == "metric":
            return (_single([t for t in group if _is_at(t, said)]),)
        if len(group) < 2:
            raise UnreadableError(f"compares, but {len(group)} answer to {core!r}")
        if kind == "counted":
            return (_nth(group, said["from"], NTH[said["counted"]])["name"],)
        if kind == "depth":
            return (_nth(group, FIRST[said["by"]], NTH[said["nth"]])["name"],)
        if kind == "you":
            return (_nth(group, FIRST[said["you"].split()[0]], 1)["name"],)
        if kind == "end":
            return (_end(group, said["end"])["name"],)
        return (_of(_front(group, FIRST[said["outer"]], COUNT[said["count"]]), said["which"])["name"],)


def _any(options: Iterable[str]) -> str:
    longest_first = sorted(set(options), key=lambda o: (-len(o), o))
    return f"(?:{'|'.join(re.escape(o) for o in longest_first)})" if longest_first else r"(?:(?!))"


def _nouns(thing: Record) -> list[str]:
    return [thing["noun"], *([thing["traits"]["part"]] if "part" in thing["traits"] else [])]


def _ends_with(words: str, end: str) -> bool:
    return words == end or words.endswith(" " + end)


def _answers(thing: Record, core: str, after: dict[str, str | None]) -> bool:
    """Whether some reading of `core` as adjectives and a noun is true of the thing."""
    own = thing["traits"]
    for key, said in after.items():
        if said is not None and own.get(key) != said.strip().removeprefix("with " if key == "with" else ""):
            return False
    adjectives = [v for k, v in own.items() if k not in (*AFTER_NOUN, "part")]
    words = core.split()
    for i in range(len(words)):
        noun = " ".join(words[i:])
        if thing["noun"] == noun or _ends_with(thing["noun"], noun):
            if _consists_of(words[:i], adjectives):
                return True
        elif i == 0 and "part" in own and _ends_with(own["part"], noun):
            return True
    return False


def _consists_of(words: list[str], traits: list[str]) -> bool:
    if not words:
        return True
    for n in range(1, len(words) + 1):
        first = " ".join(words[:n])
        for k, trait in enumerate(traits):
            if _ends_with(trait, first) and _consists_of(words[n:], traits[:k] + traits[k + 1 :]):
                return True
    return False


def _compete(answering: list[Record], scope: str | None, *, plain: bool) -> list[Record]:
    visible = [t for t in answering if t["in_view"]]
    hidden = [t for t in answering if not t["in_view"]]
    if scope is None:
        return visible or (hidden if plain else [])
    if scope == "out of view":
        return hidden
    low, high = {"behind you": (135, 180), "on your left": (45, 135), "on your right": (-135, -45)}[scope]
    bearings = [float(np.rad2deg(np.arctan2(t["position"][1], t["position"][0]))) for t in hidden]
    return [t for t, b in zip(hidden, bearings, strict=True) if low <= (abs(b) if scope == "behind you" else b) <= high]


def _single(group: list[Record]) -> str:
    if len(group) != 1:
        raise UnreadableError(f"could be {len(group)} things: {sorted(t['name'] for t in group)}")
    return str(group[0]["name"])


def _values(group: list[Record], order: str) -> np.ndarray:
    """(n,) what the order compares; the first of the order has the smallest."""
    xyz = np.array([t["position"] for t in group], float)
    radius = np.linalg.norm(xyz[:, :2], axis=1)
    columns = {"left": -xyz[:, 1], "right": xyz[:, 1], "near": radius, "far": -radius}
    return {**columns, "top": -xyz[:, 2], "bottom": xyz[:, 2]}[order]


def _clear(order: str) -> float:
    return (CLEAR_HEIGHT if order in ("top", "bottom") else CLEAR) - ROUNDING_ERROR


def _nth(group: list[Record], order: str, n: int) -> Record:
    if n > len(group):
        raise UnreadableError(f"counts to {n} among {len(group)}")
    values = _values(group, order)
    line = np.argsort(values, kind="stable")
    gaps = np.diff(values[line])[:n]
    if np.any(gaps < _clear(order)):
        raise UnreadableError(f"compares by {order} what differs by only {100 * gaps.min():.1f} cm")
    return group[line[n - 1]]


def _front(group: list[Record], order: str, count: int) -> list[Record]:
    if count >= len(group):
        raise UnreadableError(f"singles out {count} of {len(group)}")
    values = _values(group, order)
    line = np.argsort(values, kind="stable")
    if values[line[count]] - values[line[count - 1]] < _clear(order):
        raise UnreadableError(f"draws a line by {order} between things that differ too little")
    return [group[i] for i in line[:count]]


def _end(group: list[Record], word: str) -> Record:
    if word in OF_TWO and len(group) != 2:
        raise UnreadableError(f"says {word!r} of {len(group)} things")
    return _nth(group, FIRST.get(word) or OF_TWO[word], 1)


def _of(group: list[Record], which: str) -> Record:
    first, *rest = which.split()
    if first not in NTH:
        return _end(group, first)
    return _nth(group, rest[-1] if rest[0] == "from" else FIRST[rest[0]], NTH[first])


def _is_at(thing: Record, said: dict[str, str | None]) -> bool:
    for axis, value in zip("xyz", thing["position"], strict=True):
        if (words := said[axis]) is not None:
            sign = -1 if words.split()[-1] in ("behind", "right", "down") else 1
            if abs(sign * int(words.split()[0]) / 100 - value) > ROUNDED:
                return False
    return True
