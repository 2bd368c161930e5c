"""What a searcher knows, and what it makes of that: the only place where choices are made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from oracles.base import Evidence
from oracles.skills.arm import gripper_frame
from oracles.viewpoint import Viewpoint
from sim.world import World
from tasks.terms import Thing


@dataclass
class SearchEvidence(Evidence):
    """What is known of the kitchen, and what has been seen.

    The furniture is known from the start: which fronts have handles, and where the counters are. What is in or on it
    is not.

    Attributes:
        wanted: the things that the goal names.
        spots: name -> {"noun", "at" (x, y, z), "where"} of all that can be searched: fronts and counters, and
            covers once they have been seen.
        searched: what has been searched. glanced: counters that a camera has had in its picture.
        things_seen: thing -> {"noun", "colour", "at", "source"} where it was last seen; the source is the front that
            it is behind, or "" in the open.
        delivered: things that stand on the tray.
        open_fronts: fronts that were left open.
        in_view: what the cameras showed at the last look.
        dropped: things that fell, once for each time.
        held: what the hand holds, or "".
        places: tray, submit -> where it was last seen.
    """

    wanted: list[str] = field(default_factory=list)
    spots: dict[str, dict[str, Any]] = field(default_factory=dict)
    searched: list[str] = field(default_factory=list)
    glanced: list[str] = field(default_factory=list)
    things_seen: dict[str, dict[str, Any]] = field(default_factory=dict)
    delivered: list[str] = field(default_factory=list)
    open_fronts: list[str] = field(default_factory=list)
    in_view: list[str] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    held: str = ""
    places: dict[str, list[float]] = field(default_factory=dict)

    def things(self, world: World) -> list[Thing]:
        """Furniture, counters, covers, tray, button, and the things that have been seen."""
        view = Viewpoint(world, self.in_view)
        out = []
        for name, spot in sorted(self.spots.items()):
            traits = {"where": spot["where"]} if spot["where"] else {}
            out.append(view.thing(name, spot["noun"], spot["at"], spot["noun"], traits))
        for name, seen in sorted(self.things_seen.items()):
            at = gripper_frame(world)[0] if name == self.held else seen["at"]
            out.append(view.thing(name, seen["noun"], at, "things", {"colour": seen["colour"]}))
        nouns = {"tray": "tray", "submit": "SUBMIT button"}
        out += [view.thing(name, nouns[name], at, name) for name, at in sorted(self.places.items())]
        return out

    @property
    def missing(self) -> list[str]:
        """What is looked for and has not been seen."""
        return [name for name in self.wanted if name not in self.things_seen]

    @property
    def waiting(self) -> list[str]:
        """What has been found and is not on the tray."""
        return [name for name in self.wanted if name in self.things_seen and name not in self.delivered]


def candidates(known: SearchEvidence) -> list[str]:
    """What may come next: "fetch <thing>" for what has been found, "search <spot>" while something is missing.

    A counter that a camera has had in its picture is gone to only when nothing else is left.
    """
    options = [f"fetch {name}" for name in known.waiting]
    if known.missing:
        open_spots = [name for name in sorted(known.spots) if name not in known.searched]
        fresh = [name for name in open_spots if name not in known.glanced]
        options += [f"search {name}" for name in fresh or open_spots]
    return options


def choose(ways: Mapping[str, float]) -> tuple[list[str], str | None]:
    """The options, the nearest by the length of the way first, and the choice.

    Args:
        ways: option -> m; infinite for what cannot be got to now.
    """
    options = sorted(ways, key=lambda option: (ways[option], option))
    return options, options[0] if options and np.isfinite(ways[options[0]]) else None
