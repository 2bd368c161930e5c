"""Which openable furniture can hide things that the robot can get at (tasks.md 8.1).

A hiding place has a floor at a height the hand reaches, room inside, an opaque front with a bar the hand can take, and
free floor before it to stand on and to back away over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sim.kitchen import Box, Kitchen
from sim.openable import DRAWER, Front, Openable, find_openables
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

SHELF_FLOOR = 0.60
"""Lowest shelf behind a door that a thing can be taken from, m: lower, the hand cannot tilt far enough to pass under
the shelf or drawer above (inverse kinematics: 0.5 rad at 0.45 m, where 0.7 are needed).
"""
SHELF_HEIGHT = 0.23
"""Least room above such a shelf, m: the thing, the hand over it, and a little to lift."""
SHELF_INSET = 0.04
"""How far behind the shelf's front edge the middle of a thing stands, m; deeper, the wrist meets the work top."""
HAND_ROOM = 0.118
"""The middle of a thing is so far from the cabinet's side and the leaf beside, m: half the hand's width, and air."""
LEAF_ROOM = 0.20
"""It is at least so far from the hinge, m: the open leaf stands there, and the arm beside it."""
WIDEST_LEAF = 0.63
"""Wider leaves stand in the way of the base, m."""
TALLEST_LEAF = 1.20
"""Height of a leaf's top, m, over which the hand passes with the leaf open."""
LOW_BAR = 0.40
"""Height of a leaf over the top of its bar, m, up to which the hand that holds the bar clears the leaf. Taller ones
(oven cabinets) can be opened and closed, but in a minute instead of half of one.
"""
EAVES = (0.32, 0.065)
"""What overhangs a shelf's floor or a drawer's bar by less than the first, m, protrudes at most by the second past the
front: the hand that comes in tilted passes under it.
"""
DOOR_STAND = 1.53
"""Free floor before a door, m: the base backs off with what it takes out."""
FURTHEST = 0.45
"""It is at most so far from the hinge, m: the base that faces it has to clear the edge of a wide open leaf."""


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

DEEPEST = 0.37
"""Highest that the front may rise over the floor, m: the forearm passes over it while the hand is at the bottom."""


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
        if openable.kind != DRAWER and not _takeable(openable, spaces):
            continue
        if spaces and _clear_above(kitchen, openable) and stands_free(kitchen, openable):
            found.append(Compartment(openable, spaces))
    return tuple(found)


@dataclass(frozen=True)
class ShelfSpot:
    """Where a thing may stand behind a door so that the robot can take it.

    Attributes:
        leaf: index of the door leaf in `Openable.fronts`.
        point: world point (3,) on the shelf, m, for the middle of the thing's underside.
    """

    leaf: int
    point: tuple[float, float, float]


def shelf_spots(openable: Openable) -> tuple[ShelfSpot, ...]:
    """One spot on each shelf behind each leaf where things can be taken, from the lowest up; none for drawers.

    The spots lie near the front edge and towards the leaf's closing edge, clear of the open leaf.
    """
    spots = []
    for space in openable.interiors:
        if openable.kind == DRAWER or not SHELF_FLOOR <= space.bottom <= FLOOR_BAND[1]:
            continue
        if 2 * space.half[2] < SHELF_HEIGHT:
            continue
        front = np.array(space.centre[:2]) + openable.outward * (space.half[1] - SHELF_INSET)
        for index, leaf in enumerate(openable.fronts):
            if not _openable(leaf):
                continue
            hinge = np.array(leaf.hinge)
            across = np.array(leaf.box.centre[:2]) - hinge
            across -= openable.outward * (across @ openable.outward)
            across /= np.linalg.norm(across)
            side = float((np.array(space.centre[:2]) - hinge) @ across) + space.half[0]
            aside = min(side, 2 * leaf.box.half[0]) - HAND_ROOM
            if aside < LEAF_ROOM:
                continue
            point = hinge + across * min(aside, FURTHEST)
            point += openable.outward * ((front - point) @ openable.outward)
            spots.append(ShelfSpot(index, (float(point[0]), float(point[1]), space.bottom)))
    return tuple(spots)


def _openable(leaf: Front) -> bool:
    """Whether the hand opens a door leaf wide enough to reach in beside it, and closes it."""
    if leaf.hinge is None or leaf.bar is None:
        return False
    above = leaf.box.top - leaf.bar.centre[2] - leaf.bar.half_length
    return 2 * leaf.box.half[0] <= WIDEST_LEAF and leaf.box.top <= TALLEST_LEAF and above <= LOW_BAR


def _takeable(openable: Openable, spaces: tuple[Box, ...]) -> bool:
    """Whether things can be taken from behind a door."""
    spots = shelf_spots(openable)
    usable = {space.bottom for space in spaces}
    return bool(spots) and all(spot.point[2] in usable for spot in spots)


def _clear_above(kitchen: Kitchen, openable: Openable) -> bool:
    """Whether nothing hangs over the front in the way of a hand that comes in tilted, for a shelf or a drawer's bar."""
    if openable.kind == DRAWER:
        lowest = openable.fronts[0].bar.centre[2]
    else:
        lowest = min(spot.point[2] for spot in shelf_spots(openable))
    others = [fixture.box for fixture in kitchen.fixtures if fixture.name != openable.fixture]
    return not any(_overhangs(openable, other, lowest) for other in others)


def _overhangs(openable: Openable, other: Box, lowest: float) -> bool:
    if not openable.box.top - 0.02 < other.bottom < lowest + EAVES[0]:
        return False
    face = np.array(openable.box.centre[:2]) + openable.outward * (openable.box.half[1] + EAVES[1] + 0.05)
    before = Box((*map(float, face), other.centre[2]), (openable.box.half[0] - 0.02, 0.05, 0.1), openable.yaw)
    return overlap(before, other)


def stands_free(kitchen: Kitchen, openable: Openable) -> bool:
    """Whether no other fixture is in the way of the robot before a front."""
    stand = STAND if openable.kind == DRAWER else (STAND[0], DOOR_STAND)
    middle = sum(stand) / 2
    out = openable.outward
    face = np.array(openable.box.centre[:2]) + out * openable.box.half[1]
    x, y = face + out * middle
    half = (STAND_HALF_WIDTH, (stand[1] - stand[0]) / 2, (BODY[1] - BODY[0]) / 2)
    floor = Box((float(x), float(y), sum(BODY) / 2), half, openable.yaw)
    return not any(
        other.box.bottom < BODY[1] and other.box.top > BODY[0] and overlap(floor, other.box)
        for other in kitchen.fixtures
        if other.name != openable.fixture
    )


def drawer_spot(drawer: Openable) -> tuple[float, float, float] | None:
    """Where a thing stands in a drawer so that the hand takes it from above: the world point (3,) under it while the
    drawer is closed, m, or None if the drawer is too narrow or too deep for the arm.

    A thing must be at least 20 mm lower than the space (tasks.md 8.1). What is held by a handle (the mug) has it
    pointing away from the robot, within a right angle of straight back.
    """
    space = drawer.interiors[0]
    if 2 * space.half[0] < HAND_WIDTH and 2 * space.half[2] - WALL_BELOW > HAND_ABOVE:
        return None
    if drawer.fronts[0].box.top - space.bottom > DEEPEST:
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
