"""What the cameras show of the kitchen, put into the evidence: the true state of what is in view. Decides nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from oracles.base import Session
from oracles.search_room.evidence import SearchEvidence
from oracles.search_room.furnishing import Furnishing
from oracles.skills.fronts import opening
from oracles.skills.travel import pose_now
from sim.contact import subtree
from sim.openable import DRAWER
from tasks.hiding.naming import is_island
from tasks.hiding.views import shows
from tasks.search_room.task import thing_named

IN_SIGHT = 3.0
"""A counter further from the camera than this, m, has not been seen for what stands on it."""
SHUT = 0.03
"""Share of its travel below which a front counts as closed."""


class Sight:
    """See the module's docstring."""

    def __init__(self, session: Session, furnishing: Furnishing) -> None:
        self.session, self.world, self.furnishing = session, session.world, furnishing
        model = session.world.model
        bodies = [*furnishing.things, *furnishing.covers, "tray", "submit"]
        self._geoms = {name: subtree(model, model.body(name).id) for name in bodies}
        for name in furnishing.fronts:
            self._geoms[name] = subtree(model, int(model.joint(furnishing.front(name).joint).bodyid[0]))

    def known_at_start(self) -> SearchEvidence:
        """What the goal says, and the furniture that anyone sees who knows the kitchen."""
        instance = self.session.instance
        where = {record["fixture"]: record["where"] for record in instance.spec["furniture"]}
        spots: dict[str, dict[str, Any]] = {}
        for name, (openable, k) in self.furnishing.fronts.items():
            noun = "drawer" if openable.kind == DRAWER else "cabinet"
            noun = f"island {noun}" if is_island(openable.fixture) else noun
            spots[name] = _spot(noun, openable.fronts[k].box.centre, where[openable.fixture])
        for name, section in self.furnishing.counters.items():
            noun = "island edge" if is_island(section.fixture) else "counter"
            spots[name] = _spot(noun, section.middle, section.where)
        return SearchEvidence(wanted=list(instance.spec["targets"]), spots=spots)

    def look(self) -> None:
        """Adds what the cameras show now to the evidence."""
        known: SearchEvidence = self.session.evidence
        seen = self.session.eyes.seen(self._geoms)
        known.in_view = sorted(seen)
        for name in self.furnishing.things:
            if name in seen:
                thing = thing_named(name)
                at = self._at(name)
                source = "" if name == known.held else self._source(np.array(at))
                known.things_seen[name] = {
                    "noun": thing.figures.noun,
                    "colour": thing.colour,
                    "at": at,
                    "source": source,
                }
        for name in self.furnishing.covers:
            if name in seen:
                known.spots[name] = _spot("cover", self._at(name), "")
        known.open_fronts = [name for name in known.open_fronts if not (name in seen and self._is_shut(name))]
        for name in ("tray", "submit"):
            if name in seen:
                known.places[name] = self._at(name)
        stance = pose_now(self.session)
        for name, section in self.furnishing.counters.items():
            far = max(shows(stance, point) for point in section.points)
            if far <= IN_SIGHT:
                known.in_view.append(name)
                if name not in known.glanced:
                    known.glanced.append(name)

    def _is_shut(self, name: str) -> bool:
        front = self.furnishing.front(name)
        return opening(self.world, front) < SHUT * abs(front.travel)

    def _at(self, body: str) -> list[float]:
        return [round(float(v), 3) for v in self.world.data.xpos[self.world.model.body(body).id]]

    def _source(self, at: np.ndarray) -> str:
        """The front that a point is behind, or "" if it is in the open."""
        for name, openable in self.furnishing.openables.items():
            shift = np.zeros(3)
            if openable.kind == DRAWER:
                shift[:2] = openable.outward * opening(self.world, openable.fronts[0])
            c, s = np.cos(openable.yaw), np.sin(openable.yaw)
            for space in openable.interiors:
                dx, dy, dz = at - shift - np.array(space.centre)
                local = np.abs([c * dx + s * dy, c * dy - s * dx, dz])
                if np.all(local <= np.array(space.half) + 0.02):
                    apart = [np.linalg.norm(at[:2] - np.array(front.box.centre[:2])) for front in openable.fronts]
                    return f"{name} {int(np.argmin(apart))}"
        return ""


def _spot(noun: str, at: Any, where: str) -> dict[str, Any]:
    return {"noun": noun, "at": [round(float(v), 3) for v in at], "where": where}
