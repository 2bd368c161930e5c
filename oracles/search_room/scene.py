"""Where to stand and what the hand does at each kind of spot. Reads the true state, for motions; decides nothing."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Session, SkillFailed
from oracles.search_room.evidence import SearchEvidence
from oracles.search_room.furnishing import Furnishing
from oracles.search_room.sight import Sight
from oracles.skills.arm import base_frame
from oracles.skills.cover import lift_cover, set_aside
from oracles.skills.door import door_stance
from oracles.skills.drawer import closing_stance
from oracles.skills.drawer_inside import look_into_drawer, take_from_drawer
from oracles.skills.fronts import opening
from oracles.skills.furniture import close_front, open_front
from oracles.skills.look import look_down
from oracles.skills.pick import counter_stance, pick
from oracles.skills.shelf import hand_fits, look_in, take_from_shelf
from oracles.skills.stand import stand
from oracles.skills.travel import apart, way_to
from sim.lattice import Pose
from sim.openable import DRAWER
from tasks.hiding.section import Section
from tasks.props.tray_mark import SLOTS
from tasks.search_room.task import SUBMIT_XY, TRAY_XY, thing_named

OVERLOOK = 0.06
"""A counter is looked over from so far behind where something on it would be taken from, m."""
OPEN_DRAWER = 0.34
"""Least opening of a drawer for the hand, m."""
THERE = (0.05, 0.05)
"""A stance so near, m and rad, is not driven to."""
STICKS_OUT = 0.25
"""The middle of an open front is about so far before where it is when closed, m."""
WORKING_ROOM = 1.0
"""Nothing may stand open within this distance of where the robot works, m: it steps aside and turns there."""
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
        self.furnishing = Furnishing(session.instance)
        self.sight = Sight(session, self.furnishing)

    def stance(self, name: str) -> Pose:
        """Where the base goes for a spot or a thing on a counter. Raises SkillFailed where there is no room."""
        if name in self.furnishing.fronts:
            openable, k = self.furnishing.fronts[name]
            if openable.kind == DRAWER:
                return closing_stance(self.session, openable)
            return door_stance(self.session, openable, openable.fronts[k])
        if name in self.furnishing.counters:
            towards = self.furnishing.counters[name].towards_robot
            return counter_stance(np.array(self.furnishing.counters[name].middle)[:2] + OVERLOOK * towards, towards)
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
        away, turn = apart(self.session, self.stance(name))
        return away < THERE[0] and turn < THERE[1]

    def in_the_way(self, front: str, name: str) -> bool:
        """Whether an open front stands where the robot would work at a spot or thing."""
        source = self.session.evidence.things_seen.get(name, {}).get("source")
        openable, k = self.furnishing.fronts[front]
        try:
            stance = np.array(self.stance(source or name)[:2])
        except SkillFailed:
            stance = np.array(self.furnishing.front(source or name).box.centre[:2])
        leaf = np.array(openable.fronts[k].box.centre[:2]) + openable.outward * STICKS_OUT
        return bool(np.linalg.norm(stance - leaf) < WORKING_ROOM)

    def lets_in(self, name: str, thing: str) -> bool:
        """Whether a front stands open far enough to take a thing; one that shuts by itself does not for long."""
        openable, k = self.furnishing.fronts[name]
        if openable.kind == DRAWER:
            return opening(self.world, openable.fronts[k]) >= OPEN_DRAWER
        return hand_fits(self.session, openable, openable.fronts[k], np.array(self._last_at(thing)))

    def open(self, name: str) -> Motion[None]:
        """Opens a front before which the base stands."""
        openable, k = self.furnishing.fronts[name]
        yield from open_front(self.session, openable, k)

    def close(self, name: str) -> Motion[None]:
        """Closes a front."""
        openable, k = self.furnishing.fronts[name]
        yield from close_front(self.session, openable, k)

    def look_inside(self, name: str) -> Motion[None]:
        """Looks into what has been opened."""
        openable, k = self.furnishing.fronts[name]
        if openable.kind == DRAWER:
            yield from look_into_drawer(self.session, openable, GAZE_TICKS)
        else:
            yield from look_in(self.session, openable, openable.fronts[k])
        self.sight.look()

    def look_over(self, name: str) -> Motion[None]:
        """Looks over a counter before which the base stands."""
        middle, left = np.array(self.furnishing.counters[name].middle), base_frame(self.world)[1][:, 1]
        for side in LOOK_SIDES:
            yield from look_down(self.session, middle + side * left, LOOK_HEIGHT)
            self.sight.look()

    def lift(self, name: str, jitter: float) -> Motion[None]:
        """Lifts a cover before which the base stands."""
        yield from lift_cover(self.session, name, jitter=jitter)
        self.sight.look()

    def set_aside(self, name: str) -> Motion[None]:
        """Sets the cover that the hand holds down beside what it hid, and comes back."""
        yield from set_aside(self.session, name, self.furnishing.aside[name])
        self.sight.look()

    def take(self, name: str, jitter: float) -> Motion[None]:
        """Takes a thing that has been seen, from wherever it is."""
        thing = thing_named(name)
        source = self.session.evidence.things_seen[name]["source"]
        if not source:
            height = self._last_at(name)[2] + OVER_THINGS
            yield from pick(self.session, thing, height=height, jitter=jitter)
        else:
            openable, k = self.furnishing.fronts[source]
            if openable.kind == DRAWER:
                yield from take_from_drawer(self.session, thing, openable, jitter=jitter)
            else:
                yield from take_from_shelf(self.session, thing, openable, openable.fronts[k], jitter=jitter)

    def tray_stance(self) -> Pose:
        """Before the tray."""
        return self.furnishing.work.base

    def slot(self, index: int) -> np.ndarray:
        """World point (3,) of the tray's place for the index-th thing; the farthest from the robot comes first."""
        slots = sorted(SLOTS[len(self.session.evidence.wanted)], key=lambda xy: (-xy[1], xy[0]))
        x, y = slots[index]
        return np.array(self.furnishing.work.to_world((TRAY_XY[0] + x, TRAY_XY[1] + y)))

    def button(self) -> np.ndarray:
        """World point (3,) of SUBMIT."""
        return np.array(self.furnishing.work.to_world(SUBMIT_XY))

    def put_down(self, name: str, index: int) -> Motion[None]:
        """Stands the held thing on the tray."""
        yield from stand(
            self.session, thing_named(name), self.slot(index), carry_height=self.furnishing.work.origin[2] + OVER_THINGS
        )
        self.sight.look()

    def _last_at(self, name: str) -> list[float]:
        """Where a cover or a thing was last seen."""
        known: SearchEvidence = self.session.evidence
        return (known.spots[name] if name in self.furnishing.covers else known.things_seen[name])["at"]

    def _outward_at(self, at: np.ndarray) -> np.ndarray:
        """The direction (2,) from a point on a counter to who stands nearest before it."""

        def apart(section: Section) -> float:
            ends = section.points
            along = ends[2] - ends[0]
            share = np.clip((at - ends[0]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
            return float(np.linalg.norm(ends[0] + share * along - at))

        return min(self.furnishing.counters.values(), key=apart).towards_robot
