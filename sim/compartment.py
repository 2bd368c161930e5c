"""Which openable furniture can hide things that the robot can get at (tasks.md 8.1).

A hiding place has a floor at a height the hand reaches, room inside, an opaque front with a bar the hand can take, and
free floor before it to stand on and to back away over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kitchen import Box, Kitchen
from sim.openable import DRAWER, Openable, find_openables
from sim.surface import overlap

FLOOR_BAND = (0.22, 1.10)
"""Heights of the floors on which things may lie, m (tasks.md 8.1)."""
DRAWER_FLOOR = 0.40
"""Lowest drawer floor that the gripper reaches, m (tasks.md 8.1)."""
LEAST_ROOM = (0.13, 0.13, 0.11)
"""Width, depth and height that the inside has at least, m (tasks.md 8.1)."""
FINGER_ROOM = 0.025
"""Room behind a drawer's bar that the fingers need, m; 54 of RoboCasa's 60 styles have 32 mm or a knob."""
STAND = (0.12, 1.45)
"""Free floor before the front, from and to this distance, m: the bar is 0.04 out, the base stands 0.6 to 0.8 off it
and reaches 0.55 back.
"""
STAND_HALF_WIDTH = 0.32
"""Half the width of that floor, m: the base's 0.25 and air."""
BODY = (0.03, 1.5)
"""Heights, m, between which things are in the way of the robot."""


DRAWER_SPOT = 0.17
"""How far behind the inner side of a drawer's front things stand, m: the wrist over the hand needs 0.15, and of a
drawer pulled by 0.34 m about 0.27 are clear of the work top's edge.
"""
HAND_WIDTH = 0.24
"""Width between the walls of a drawer that the open hand needs, m: 0.21 and air."""
WALL_BELOW = 0.03
"""The walls of a drawer end this far below the top of its space, m."""
HAND_ABOVE = 0.095
"""Lowest height of the hand over the floor while it holds a thing there, m; walls lower than this are no matter."""


@dataclass(frozen=True)
class Compartment:
    """A hiding place: an openable and the spaces inside it that the hand reaches, from the lowest up."""

    openable: Openable
    spaces: tuple[Box, ...]


def hiding_places(kitchen: Kitchen) -> tuple[Compartment, ...]:
    """All compartments that can serve as hiding places, in the kitchen's order of fixtures."""
    found = []
    for openable in find_openables(kitchen):
        if openable.see_through or "corner" in openable.fixture or not _pullable(openable):
            continue
        spaces = tuple(space for space in openable.interiors if _usable(kitchen, openable, space))
        if spaces and stands_free(kitchen, openable):
            found.append(Compartment(openable, spaces))
    return tuple(found)


def stands_free(kitchen: Kitchen, openable: Openable) -> bool:
    """Whether no other fixture is in the way of the robot before a front."""
    middle = sum(STAND) / 2
    out = openable.outward
    face = np.array(openable.box.centre[:2]) + out * openable.box.half[1]
    x, y = face + out * middle
    half = (STAND_HALF_WIDTH, (STAND[1] - STAND[0]) / 2, (BODY[1] - BODY[0]) / 2)
    floor = Box((float(x), float(y), sum(BODY) / 2), half, openable.yaw)
    return not any(
        other.box.bottom < BODY[1] and other.box.top > BODY[0] and overlap(floor, other.box)
        for other in kitchen.fixtures
        if other.name != openable.fixture
    )


def drawer_spot(drawer: Openable) -> tuple[float, float, float] | None:
    """Where a thing stands in a drawer so that the hand takes it from above: the world point (3,) under it while the
    drawer is closed, m, or None if there is no room for the hand.

    A thing must be at least 20 mm lower than the space (tasks.md 8.1). What is held by a handle (the mug) has it
    pointing away from the robot, within a right angle of straight back.
    """
    space = drawer.interiors[0]
    if 2 * space.half[0] < HAND_WIDTH and 2 * space.half[2] - WALL_BELOW > HAND_ABOVE:
        return None
    front = np.array(space.centre[:2]) + drawer.outward * space.half[1]
    x, y = front - drawer.outward * DRAWER_SPOT
    return float(x), float(y), space.bottom


def _pullable(openable: Openable) -> bool:
    bars = [front.bar for front in openable.fronts]
    if any(bar is None for bar in bars):
        return False
    return openable.kind != DRAWER or bars[0].gap >= FINGER_ROOM


def _usable(kitchen: Kitchen, openable: Openable, space: Box) -> bool:
    low = max(FLOOR_BAND[0], DRAWER_FLOOR) if openable.kind == DRAWER else FLOOR_BAND[0]
    if not low - 0.005 <= space.bottom <= FLOOR_BAND[1]:
        return False
    if any(2 * half < least for half, least in zip(space.half, LEAST_ROOM, strict=True)):
        return False
    return not any(
        sink.kind == "Sink" and sink.box.bottom < space.top and overlap(space, sink.box) for sink in kitchen.fixtures
    )
