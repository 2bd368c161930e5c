"""The kitchen as eyes and hands need it: where things are, what the cameras show, and the motions at each kind of spot.

Reads the true state, for motions and for looking; decides nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from oracles.base import Motion, Session, SkillFailed
from oracles.search_room.evidence import SearchEvidence
from oracles.skills.arm import base_frame
from oracles.skills.cover import lift_cover, set_aside
from oracles.skills.door import door_stance
from oracles.skills.drawer import closing_stance
from oracles.skills.drawer_inside import look_into_drawer, take_from_drawer
from oracles.skills.drive import base_yaw
from oracles.skills.fronts import opening
from oracles.skills.furniture import close_front, open_front
from oracles.skills.look import look_down
from oracles.skills.pick import counter_stance, pick
from oracles.skills.shelf import hand_fits, look_in, take_from_shelf
from oracles.skills.stand import stand
from oracles.skills.travel import way_to
from sim.contact import subtree
from sim.lattice import Pose
from sim.openable import DRAWER, Front, Openable
from tasks.hiding.naming import is_island
from tasks.hiding.place import COVERED
from tasks.hiding.section import Section
from tasks.hiding.views import shows
from tasks.props.tray_mark import SLOTS
from tasks.search_room.task import SUBMIT_XY, TRAY_XY, furniture, movables, places, thing_named, work_top

OVERLOOK = 0.06
"""A counter is looked over from so far behind where something on it would be taken from, m."""
OPEN_DRAWER = 0.34
"""Least opening of a drawer for the hand, m."""
SHUT = 0.03
"""Share of its travel below which a front counts as closed."""
THERE = (0.05, 0.05)
"""A stance so near, m and rad, is not driven to."""
STICKS_OUT = 0.25
"""The middle of an open front is about so far before where it is when closed, m."""
WORKING_ROOM = 1.0
"""Nothing may stand open within this distance of where the robot works, m: it steps aside and turns there."""
IN_SIGHT = 3.0
"""A counter further from the camera than this, m, has not been seen for what stands on it."""
OVER_THINGS = 0.36
"""Height of the grip site over a counter at which what it holds passes over what stands there, m."""
LOOK_HEIGHT = 0.33
GAZE_TICKS = 40
"""A look into a drawer is a moment of its own."""
LOOK_SIDES = (0.22, -0.22)
"""To the left and the right of the middle, m."""


class Kitchen:
    """See the module's docstring."""

    def __init__(self, session: Session) -> None:
        self.session, self.world = session, session.world
        instance, model = session.instance, session.world.model
        self.work = work_top(instance)
        self.openables = {o.fixture: o for o in furniture(instance)}
        self.counters = {s.name: s for s in map(Section.from_json, instance.spec["counters"])}
        self.fronts: dict[str, tuple[Openable, int]] = {
            f"{name} {k}": (openable, k)
            for name, openable in self.openables.items()
            for k in range(len(openable.fronts))
        }
        self._aside = {p.name: np.array(p.aside) for p in places(instance) if p.kind == COVERED}
        self.covers = sorted(self._aside)
        self._things = [name for name in movables(instance) if name not in self.covers]
        bodies = [*self._things, *self.covers, "tray", "submit"]
        self._geoms = {name: subtree(model, model.body(name).id) for name in bodies}
        for name, (openable, k) in self.fronts.items():
            self._geoms[name] = subtree(model, int(model.joint(openable.fronts[k].joint).bodyid[0]))

    def known_at_start(self) -> SearchEvidence:
        """What the goal says, and the furniture that anyone sees who knows the kitchen."""
        instance = self.session.instance
        where = {record["fixture"]: record["where"] for record in instance.spec["furniture"]}
        spots: dict[str, dict[str, Any]] = {}
        for name, (openable, k) in self.fronts.items():
            noun = "drawer" if openable.kind == DRAWER else "cabinet"
            noun = f"island {noun}" if is_island(openable.fixture) else noun
            spots[name] = _spot(noun, openable.fronts[k].box.centre, where[openable.fixture])
        for name, section in self.counters.items():
            noun = "island edge" if is_island(section.fixture) else "counter"
            spots[name] = _spot(noun, section.middle, section.where)
        return SearchEvidence(wanted=list(instance.spec["targets"]), spots=spots)

    def look(self) -> None:
        """Adds what the cameras show now to the evidence."""
        known: SearchEvidence = self.session.evidence
        seen = self.session.eyes.seen(self._geoms)
        known.in_view = sorted(seen)
        for name in self._things:
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
        for name in self.covers:
            if name in seen:
                known.spots[name] = _spot("cover", self._at(name), "")
        known.open_fronts = [name for name in known.open_fronts if not (name in seen and self._is_shut(name))]
        for name in ("tray", "submit"):
            if name in seen:
                known.places[name] = self._at(name)
        stance = self.stance_now()
        for name, section in self.counters.items():
            far = max(shows(stance, point) for point in section.points)
            if far <= IN_SIGHT:
                known.in_view.append(name)
                if name not in known.glanced:
                    known.glanced.append(name)

    def stance_now(self) -> Pose:
        """Where the base is."""
        position, _ = base_frame(self.world)
        return float(position[0]), float(position[1]), base_yaw(self.world)

    def stance(self, name: str) -> Pose:
        """Where the base goes for a spot or a thing on a counter. Raises SkillFailed where there is no room."""
        if name in self.fronts:
            openable, k = self.fronts[name]
            if openable.kind == DRAWER:
                return closing_stance(self.session, openable)
            return door_stance(self.session, openable, openable.fronts[k])
        if name in self.counters:
            towards = self.counters[name].towards_robot
            return counter_stance(np.array(self.counters[name].middle)[:2] + OVERLOOK * towards, towards)
        at = np.array(self._last_at(name))
        return counter_stance(at, self._outward_at(at))

    def way(self, name: str) -> float:
        """Length of the way to a spot or a thing that has been seen, m; infinite if there is none now."""
        source = self.session.evidence.things_seen.get(name, {}).get("source")
        try:
            return way_to(self.session, self.stance(source or name))
        except SkillFailed:
            return float("inf")

    def is_at(self, name: str) -> bool:
        """Whether the base stands before a spot or thing."""
        here, there = self.stance_now(), self.stance(name)
        turn = (there[2] - here[2] + np.pi) % (2 * np.pi) - np.pi
        return bool(np.hypot(there[0] - here[0], there[1] - here[1]) < THERE[0] and abs(turn) < THERE[1])

    def in_the_way(self, front: str, name: str) -> bool:
        """Whether an open front stands where the robot would work at a spot or thing."""
        source = self.session.evidence.things_seen.get(name, {}).get("source")
        openable, k = self.fronts[front]
        try:
            stance = np.array(self.stance(source or name)[:2])
        except SkillFailed:
            stance = np.array(self._front(source or name).box.centre[:2])
        leaf = np.array(openable.fronts[k].box.centre[:2]) + openable.outward * STICKS_OUT
        return bool(np.linalg.norm(stance - leaf) < WORKING_ROOM)

    def lets_in(self, name: str, thing: str) -> bool:
        """Whether a front stands open far enough to take a thing; one that shuts by itself does not for long."""
        openable, k = self.fronts[name]
        if openable.kind == DRAWER:
            return opening(self.world, openable.fronts[k]) >= OPEN_DRAWER
        return hand_fits(self.session, openable, openable.fronts[k], np.array(self._last_at(thing)))

    def open(self, name: str) -> Motion[None]:
        """Opens a front before which the base stands."""
        openable, k = self.fronts[name]
        yield from open_front(self.session, openable, k)

    def close(self, name: str) -> Motion[None]:
        """Closes a front."""
        openable, k = self.fronts[name]
        yield from close_front(self.session, openable, k)

    def look_inside(self, name: str) -> Motion[None]:
        """Looks into what has been opened."""
        openable, k = self.fronts[name]
        if openable.kind == DRAWER:
            yield from look_into_drawer(self.session, openable, GAZE_TICKS)
        else:
            yield from look_in(self.session, openable, openable.fronts[k])
        self.look()

    def look_over(self, name: str) -> Motion[None]:
        """Looks over a counter before which the base stands."""
        middle, left = np.array(self.counters[name].middle), base_frame(self.world)[1][:, 1]
        for side in LOOK_SIDES:
            yield from look_down(self.session, middle + side * left, LOOK_HEIGHT)
            self.look()

    def lift(self, name: str, jitter: float) -> Motion[None]:
        """Lifts a cover before which the base stands."""
        yield from lift_cover(self.session, name, jitter=jitter)
        self.look()

    def set_aside(self, name: str) -> Motion[None]:
        """Sets the cover that the hand holds down beside what it hid, and comes back."""
        yield from set_aside(self.session, name, self._aside[name])
        self.look()

    def take(self, name: str, jitter: float) -> Motion[None]:
        """Takes a thing that has been seen, from wherever it is."""
        thing = thing_named(name)
        source = self.session.evidence.things_seen[name]["source"]
        if not source:
            height = self._last_at(name)[2] + OVER_THINGS
            yield from pick(self.session, thing, height=height, jitter=jitter)
        else:
            openable, k = self.fronts[source]
            if openable.kind == DRAWER:
                yield from take_from_drawer(self.session, thing, openable, jitter=jitter)
            else:
                yield from take_from_shelf(self.session, thing, openable, openable.fronts[k], jitter=jitter)

    def tray_stance(self) -> Pose:
        """Before the tray."""
        return self.work.base

    def slot(self, index: int) -> np.ndarray:
        """World point (3,) of the tray's place for the index-th thing; the farthest from the robot comes first."""
        slots = sorted(SLOTS[len(self.session.evidence.wanted)], key=lambda xy: (-xy[1], xy[0]))
        x, y = slots[index]
        return np.array(self.work.to_world((TRAY_XY[0] + x, TRAY_XY[1] + y)))

    def button(self) -> np.ndarray:
        """World point (3,) of SUBMIT."""
        return np.array(self.work.to_world(SUBMIT_XY))

    def put_down(self, name: str, index: int) -> Motion[None]:
        """Stands the held thing on the tray."""
        yield from stand(
            self.session, thing_named(name), self.slot(index), carry_height=self.work.origin[2] + OVER_THINGS
        )
        self.look()

    def _front(self, name: str) -> Front:
        openable, k = self.fronts[name]
        return openable.fronts[k]

    def _is_shut(self, name: str) -> bool:
        front = self._front(name)
        return opening(self.world, front) < SHUT * abs(front.travel)

    def _at(self, body: str) -> list[float]:
        return [round(float(v), 3) for v in self.world.data.xpos[self.world.model.body(body).id]]

    def _last_at(self, name: str) -> list[float]:
        """Where a cover or a thing was last seen."""
        known: SearchEvidence = self.session.evidence
        return (known.spots[name] if name in self.covers else known.things_seen[name])["at"]

    def _source(self, at: np.ndarray) -> str:
        """The front that a point is behind, or "" if it is in the open."""
        for name, openable in self.openables.items():
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

    def _outward_at(self, at: np.ndarray) -> np.ndarray:
        """The direction (2,) from a point on a counter to who stands nearest before it."""

        def apart(section: Section) -> float:
            ends = section.points
            along = ends[2] - ends[0]
            share = np.clip((at - ends[0]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
            return float(np.linalg.norm(ends[0] + share * along - at))

        return min(self.counters.values(), key=apart).towards_robot


def _spot(noun: str, at: Any, where: str) -> dict[str, Any]:
    return {"noun": noun, "at": [round(float(v), 3) for v in at], "where": where}
