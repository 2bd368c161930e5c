"""What a newcomer knows of a puzzle box, and what it makes of that: the only place where choices are made."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from oracles.base import Evidence
from oracles.viewpoint import Viewpoint
from sim.world import World
from tasks.terms import Thing


@dataclass
class BoxEvidence(Evidence):
    """What has been seen and felt.

    Attributes:
        handles: part -> (x, y, z) of its handle in the world where it was last seen, m.
        axes: part -> pull direction (x, y), world; seen from the lie of its bar.
        tips: parts whose tips have been seen.
        links: (holder, held) pairs whose meeting place has been seen.
        released: parts that were pulled out and were last seen there.
        failed: part -> number of moves that had been made when it last did not give.
        moves: number of parts that moved so far.
        in_view: what the cameras showed at the last look.
        places: box, tray, submit, item -> where it was last seen, world, m.
        lid_open: whether the lid has been slid open.
        item_noun: what the goal calls the item.
    """

    handles: dict[str, list[float]] = field(default_factory=dict)
    axes: dict[str, list[float]] = field(default_factory=dict)
    tips: list[str] = field(default_factory=list)
    links: list[list[str]] = field(default_factory=list)
    released: list[str] = field(default_factory=list)
    failed: dict[str, int] = field(default_factory=dict)
    moves: int = 0
    in_view: list[str] = field(default_factory=list)
    places: dict[str, list[float]] = field(default_factory=dict)
    lid_open: bool = False
    item_noun: str = ""

    def things(self, world: World) -> list[Thing]:
        """Bolts, lid, box, tray, button, and the item once it has been seen."""
        view = Viewpoint(world, self.in_view)
        out = []
        for name, at in sorted(self.handles.items()):
            if name == "lid":
                out.append(view.thing(name, "lid", at, "lid"))
            else:
                out.append(view.thing(name, "bolt", at, "bolts", {"part": "round black handle"}))
        nouns = {"box": "puzzle box", "tray": "tray", "submit": "SUBMIT button", "item": self.item_noun}
        out += [view.thing(name, nouns[name], at, name) for name, at in sorted(self.places.items())]
        return out

    @property
    def lid_free(self) -> bool:
        """Whether what holds the lid was seen, and has been released."""
        holders = [holder for holder, held in self.links if held == "lid"]
        return bool(holders) and all(holder in self.released for holder in holders)

    @property
    def still_to_free(self) -> list[str]:
        """The bolts that are in and have not been seen to hold nothing."""
        holders = {holder for holder, _ in self.links}
        idle = set(self.tips) - holders
        return [name for name in sorted(self.handles) if name not in {"lid", *self.released} | idle]


def choose(evidence: BoxEvidence, hand: np.ndarray) -> tuple[list[str], str | None]:
    """What to try next: the options a newcomer has, best first, and the choice.

    Args:
        hand: world x, y of the hand.
    """
    held = {a for b, a in evidence.links if b not in evidence.released}
    holders = {b for b, a in evidence.links if a not in evidence.released}

    def rank(name: str) -> tuple[int, float]:
        distance = float(np.linalg.norm(np.array(evidence.handles[name][:2]) - hand))
        if name in holders:
            return 0, distance
        idle = name in evidence.tips and name != "lid"
        return (2 if idle else 1), distance

    options = [
        name
        for name in sorted(evidence.handles)
        if name not in evidence.released and name not in held and evidence.failed.get(name, -1) < evidence.moves
    ]
    options.sort(key=rank)
    return options, options[0] if options else None
