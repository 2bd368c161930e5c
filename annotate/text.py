"""A term in words: chooses a template of its verb and fills the holes (verbs.py says what the holes are)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec

from annotate import english
from annotate.errors import NotSeenError, UnknownVerbError
from annotate.refer import Namer, everything
from annotate.verbs import VERBS
from tasks.terms import Term, Thing

LONGEST = 90
"""Characters; a longer caption is used only if there is no shorter way to say it."""
HIDDEN = "what is inside"

_HOLE = re.compile(r"\{([a-z_ ]+)\}")
_TAG = re.compile(r" ?\[([a-z_]+)\]$")


def verbs_of(task: str) -> Mapping[str, tuple[str, ...]]:
    """verb -> templates: the shared ones and those of `annotate/<task>.py`, which come first."""
    module = f"annotate.{task}"
    return {**VERBS, **import_module(module).VERBS} if find_spec(module) else VERBS


def say(term: Term, known: Sequence[Thing], namer: Namer, verbs: Mapping[str, tuple[str, ...]]) -> str:
    """The caption of a term: imperative, in sentence case, without a full stop.

    Args:
        term: what is done.
        known: what the robot has seen when it begins, positions in its base frame.
        namer: names the things, in the episode's style.
        verbs: verb -> templates.

    Raises:
        UnknownVerbError: there are no words for the verb with these roles.
        NotSeenError: the term names a thing that is not known, and the verb has no way around it.
        AmbiguousError: no phrase tells a thing from the others.
    """
    if term.verb not in verbs:
        raise UnknownVerbError(f"no words for the verb {term.verb!r}; there are words for {', '.join(sorted(verbs))}")
    names = {thing.name for thing in known}
    seen = {role for role, name in term.things.items() if name in names}
    fitting = [t for t in verbs[term.verb] if _fits(t, term, seen)]
    if not fitting:
        unseen = sorted(term.things[role] for role in set(term.things) - seen)
        if unseen:
            raise NotSeenError(f"{term.verb} names {', '.join(unseen)}, which the robot has not seen")
        raise UnknownVerbError(f"no template of {term.verb!r} has the roles {sorted(term.things)}")
    most = max(_facts_said(t, term) for t in fitting)
    ranked = namer.style.ranked([t for t in fitting if _facts_said(t, term) == most])
    texts = []
    for by_part in (True, False):
        for template in ranked:
            texts.append(_fill(template, term, known, namer, by_part))
            if len(texts[-1]) <= LONGEST:
                return texts[-1]
    return min(texts, key=len)


def _holes(template: str) -> set[str]:
    return set(_HOLE.findall(template))


def _facts_said(template: str, term: Term) -> int:
    return len(_holes(template) & _sayable(term)) + len(_TAG.findall(template))


def _fits(template: str, term: Term, seen: set[str]) -> bool:
    holes, facts = _holes(template), _sayable(term)
    roles = {role if role in seen else f"hidden {role}" for role in term.things}
    others = {hole for hole in holes - roles if not hole.startswith("all ")}
    return roles <= holes and others <= facts and all(term.facts.get(tag) for tag in _TAG.findall(template))


def _sayable(term: Term) -> set[str]:
    """The holes that the term's facts fill."""
    counts = {k for k, v in term.facts.items() if type(v) is int and 0 < v < len(english.NUMBERS)}
    return counts | ({"direction", "heading"} if "direction" in term.facts else set())


def _fill(template: str, term: Term, known: Sequence[Thing], namer: Namer, by_part: bool) -> str:
    template = _TAG.sub("", template)

    def words(hole: re.Match[str]) -> str:
        kind = hole[1]
        if kind in term.things:
            rest = template[hole.end() :]
            echo = _direction(term).split() if rest.startswith(" {direction}") else ()
            return namer.name(term.things[kind], known, by_part=by_part and kind == "part", echo=echo)
        if kind.startswith("hidden "):
            return HIDDEN
        if kind.startswith("all "):
            return everything(kind.removeprefix("all "), known)
        if kind == "heading":
            return english.heading(term.facts["direction"])
        if kind == "direction":
            return _direction(term)
        return english.NUMBERS[term.facts[kind]]

    return _HOLE.sub(words, template)


def _direction(term: Term) -> str:
    return english.direction(term.facts["direction"])
