"""The vocabulary that oracles caption with: what is recorded instead of text.

A term is an action word with the names of the things it is about. `annotate/` turns terms into words, from what the
robot knew and where it stood when the term began; oracles and recordings never hold caption text.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Term:
    """A structured caption.

    Attributes:
        verb: what is done; `annotate/` knows how to say it.
        things: role -> name of a known thing (see `Thing`).
        facts: plain values that the wording may use, e.g. a count or a direction.
    """

    verb: str
    things: dict[str, str]
    facts: dict[str, Any]

    @classmethod
    def of(cls, verb: str, facts: dict[str, Any] | None = None, **things: str) -> Term:
        """`Term.of("slide", part="part_b")`."""
        return cls(verb, things, facts or {})

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Term:
        """Inverse of `to_json`."""
        return cls(record["verb"], dict(record["things"]), dict(record["facts"]))


@dataclass(frozen=True)
class Thing:
    """Something the robot has seen, as a referring expression needs it.

    Attributes:
        name: the name that terms use; never shown to people.
        noun: what a person would call it, e.g. "bolt".
        position: where it was last seen, metres, in the robot's base frame at that moment (x ahead, y left, z up).
        traits: visible properties that may tell it from others, e.g. {"colour": "red"}; order is preference.
        group: things of one group compete for "the second from the left".
        in_view: whether a camera shows it now.
    """

    name: str
    noun: str
    position: tuple[float, float, float]
    traits: dict[str, str]
    group: str
    in_view: bool = True

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Thing:
        """Inverse of `to_json`."""
        values = dict(record)
        values["position"] = tuple(record["position"])
        return cls(**values)
