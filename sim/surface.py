"""Where a task fits in a kitchen: a free patch of a work top with free floor in front of it for the robot.

The task frame of the benchmark (tasks.md 2.1): origin at the patch's centre on the work top, +x along the front edge,
+y away from the robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.kitchen import Box, Fixture, Kitchen

STEP = 0.10
DECOR_MARGIN = 0.02
FRONT_MARGIN = 0.03
STANDOFF = 0.20
HEADROOM = 0.85
TOP_BAND = (0.60, 1.10)
BASE_DEPTH = 0.55
BASE_HALF_WIDTH = 0.35
BACK_OFF = 0.30
ROBOT_HEIGHT = 1.6
OVERHANG = 0.08
"""Handles and doors of the cabinets under a work top may stick out this far before they count as furniture in the
way.
"""


@dataclass(frozen=True)
class Spot:
    """A work patch: its frame in the world, its extent, and where the robot's base frame starts.

    Attributes:
        fixture: the counter or island.
        origin: world position of the frame, m.
        yaw: world direction of the frame's +x, rad. The robot faces +y.
        size: extent along x and y, m.
        base: start of the robot's base frame: world x, y, and yaw.
    """

    fixture: str
    origin: tuple[float, float, float]
    yaw: float
    size: tuple[float, float]
    base: tuple[float, float, float]

    def to_world(self, xy: tuple[float, float]) -> tuple[float, float, float]:
        """World position of a point on the work top."""
        x, y = _turn(self.yaw) @ np.array(xy) + np.array(self.origin[:2])
        return (float(x), float(y), self.origin[2])


def find_spots(kitchen: Kitchen, size: tuple[float, float], reach_x: float) -> tuple[Spot, ...]:
    """All free patches of `size` (x, y; m), in a fixed order.

    Args:
        reach_x: how far to either side of the patch's centre the robot may have to step, m.
    """
    spots = []
    for counter in kitchen.fixtures:
        if counter.kind == "Counter" and TOP_BAND[0] <= counter.box.top <= TOP_BAND[1]:
            for side in range(4):
                spots += _along_side(kitchen, counter, side, size, reach_x)
    return tuple(spots)


def overlap(a: Box, b: Box) -> bool:
    """Whether the plans of two boxes overlap (separating axes)."""
    corners = a.corners(), b.corners()
    for box in (a, b):
        for axis in (_turn(box.yaw)[:, 0], _turn(box.yaw)[:, 1]):
            first, second = corners[0] @ axis, corners[1] @ axis
            if first.max() <= second.min() or second.max() <= first.min():
                return False
    return True


def _along_side(kitchen: Kitchen, counter: Fixture, side: int, size: tuple[float, float], reach_x: float) -> list[Spot]:
    box = counter.box
    half_x, half_y = (box.half[0], box.half[1]) if side % 2 == 0 else (box.half[1], box.half[0])
    if half_x < size[0] / 2 or 2 * half_y < size[1] + FRONT_MARGIN:
        return []
    yaw = _wrap(box.yaw + side * np.pi / 2)
    count = int((half_x - size[0] / 2) / STEP + 1e-9)
    found = []
    for k in range(-count, count + 1):
        local = np.array([k * STEP, -half_y + FRONT_MARGIN + size[1] / 2])
        x, y = _turn(yaw) @ local + np.array(box.centre[:2])
        edge = -size[1] / 2 - FRONT_MARGIN
        bx, by = _turn(yaw) @ np.array([0, edge - STANDOFF]) + (x, y)
        spot = Spot(
            counter.name,
            (float(x), float(y), float(box.top)),
            yaw,
            size,
            (float(bx), float(by), _wrap(yaw + np.pi / 2)),
        )
        if _free(kitchen, counter, spot, edge, reach_x):
            found.append(spot)
    return found


def _free(kitchen: Kitchen, counter: Fixture, spot: Spot, edge: float, reach_x: float) -> bool:
    def rectangle(x: float, y_low: float, y_high: float, z_low: float, z_high: float) -> Box:
        centre = spot.to_world((0.0, (y_low + y_high) / 2))
        half = (x, (y_high - y_low) / 2, (z_high - z_low) / 2)
        return Box((centre[0], centre[1], (z_low + z_high) / 2), half, spot.yaw)

    w, d = spot.size[0] / 2 + DECOR_MARGIN, spot.size[1] / 2 + DECOR_MARGIN
    top = spot.origin[2]
    patch = rectangle(w, -d, d, top + 0.002, top + HEADROOM)
    back = edge - STANDOFF - BASE_DEPTH - BACK_OFF
    floor = rectangle(reach_x + BASE_HALF_WIDTH, back, edge - 0.02, 0.03, ROBOT_HEIGHT)
    under = Box(counter.box.centre, tuple(h + OVERHANG for h in counter.box.half), counter.box.yaw)
    for fixture in kitchen.fixtures:
        if fixture is counter or _far(fixture.box, patch, floor):
            continue
        if _meets(patch, fixture.box):
            return False
        if _meets(floor, fixture.box) and not _inside(fixture.box, under):
            return False
    return True


def _far(box: Box, *others: Box) -> bool:
    """Whether the circles around the plans of boxes are apart: spares the exact test for most pairs."""
    reach = math.hypot(*box.half[:2])
    return all(math.dist(box.centre[:2], o.centre[:2]) > reach + math.hypot(*o.half[:2]) for o in others)


def _meets(a: Box, b: Box) -> bool:
    return a.bottom < b.top and b.bottom < a.top and overlap(a, b)


def _inside(box: Box, outer: Box) -> bool:
    local = (box.corners() - np.array(outer.centre[:2])) @ _turn(outer.yaw)
    return bool((np.abs(local) <= np.array(outer.half[:2])).all())


def _turn(yaw: float) -> np.ndarray:
    return np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])


def _wrap(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
