"""Where in a kitchen things can be hidden: compartments that open, and spots on counters.

All from the plan of the kitchen, without a simulator. Everything found can be driven to from the robot's start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sim.compartment import drawer_spot, hiding_places, shelf_spots
from sim.floor import CELL, FloorMap
from sim.floor_plan import kitchen_floor
from sim.kitchen import Box, Kitchen
from sim.openable import DRAWER as DRAWER_KIND
from sim.openable import Openable
from sim.surface import Spot, find_spots, overlap
from tasks.hiding.place import DOOR, DRAWER, Place

SWING = 0.48
"""How far before furniture its open front may reach, m: a drawer's pull, a wide leaf."""
WORK_ZONES = ((0.60, 1.00), (0.35, 1.40))
"""Half the width, and the depth before the edge, of the floor that the robot needs at its work top, m: to turn, and to
back off.
"""
FARTHEST = 4.5
"""Longest way from the start to a place, along one axis, m: a minute of carrying is enough."""
BACK_OFF = (0.25, 0.45)
"""Distances behind the start, m, at which the base must find room too."""
TURNING = (0.30, 1.80)
"""From and to how far before a front the base finds room to turn, m."""
SMALL = (0.24, 0.24)
"""Free patch of a counter around a thing, m: its middle is 0.15 inside the edge (tasks.md 8.1: .12 to .24)."""
LARGE = (0.62, 0.24)
"""Free patch around a cover and the spot where it is set down, m."""
BESIDE = 0.18
"""From the middle of the large patch to the cover, and to the spot beside it, m (tasks.md 8.1: offsets from .30)."""
WORK_AIR = 0.10
"""Air between the work patch and what stands elsewhere, m."""


@dataclass(frozen=True)
class Plan:
    """What a kitchen offers wherever the robot starts; each is worked out once."""

    kitchen: Kitchen

    @cached_property
    def floor(self) -> FloorMap:
        """The free floor while all is closed."""
        return kitchen_floor(self.kitchen)

    @cached_property
    def openables(self) -> list[Openable]:
        """What opens and can hide things."""
        return [compartment.openable for compartment in hiding_places(self.kitchen)]

    @cached_property
    def small_spots(self) -> tuple[Spot, ...]:
        """Free patches of counters for a thing."""
        return find_spots(self.kitchen, SMALL, 0.0)

    @cached_property
    def large_spots(self) -> tuple[Spot, ...]:
        """Free patches of counters for a cover and where it is set down."""
        return find_spots(self.kitchen, LARGE, BESIDE)


@dataclass(frozen=True)
class Ground:
    """A kitchen with the robot at its work top.

    Attributes:
        plan: the kitchen. work: the work patch; the robot starts before it.
    """

    plan: Plan
    work: Spot

    @cached_property
    def _reached(self) -> np.ndarray:
        """bool (nx, ny): the floor cells that the base gets to from its start without going far."""
        from scipy.ndimage import binary_dilation

        free = self.plan.floor.open
        x, y, yaw = self.work.base
        home = self._behind(np.array([x, y]), np.array([-np.cos(yaw), -np.sin(yaw)]), free)
        near = np.zeros_like(free)
        if home is not None:
            near[home] = True
            near = binary_dilation(near, np.ones((3, 3)), iterations=round(FARTHEST / CELL), mask=free)
        return near

    def _behind(self, point: np.ndarray, outward: np.ndarray, free: np.ndarray) -> tuple[int, int] | None:
        """The first free cell straight out from a point."""
        for distance in np.arange(*TURNING, 0.05):
            cell = self.plan.floor.cell(point + distance * outward)
            if self.plan.floor.inside(cell) and free[cell]:
                return cell
        return None

    def reachable(self, point: Sequence[float], outward: np.ndarray) -> bool:
        """Whether the base gets to the floor before a point (2,) of a front, in direction `outward` (2,)."""
        return self._behind(np.asarray(point[:2], float), outward, self._reached) is not None

    @cached_property
    def backs_off(self) -> bool:
        """Whether the base can go straight back from the work top, as it does to set down what it holds tilted."""
        x, y, yaw = self.work.base
        poses = [(x - back * np.cos(yaw), y - back * np.sin(yaw), yaw) for back in BACK_OFF]
        return all(map(self.plan.floor.lattice.stands, poses))

    def compartments(self) -> list[tuple[Openable, tuple[Place, ...]]]:
        """What opens without standing in the robot's way at its work top, and where in it a thing can be taken.

        What stands behind a door comes out in a tilted hand.
        """
        found = []
        for openable in self.plan.openables:
            if openable.kind != DRAWER_KIND and not self.backs_off:
                continue
            face = np.array(openable.box.centre[:2]) + openable.outward * openable.box.half[1]
            if not self._in_the_way(openable) and self.reachable(face, openable.outward):
                found.append((openable, self._inside(openable)))
        return found

    @cached_property
    def kinds(self) -> set[str]:
        """What kinds of places the compartments offer."""
        return {inside[0].kind for _, inside in self.compartments() if inside}

    def _inside(self, openable: Openable) -> tuple[Place, ...]:
        outward = float(np.arctan2(openable.outward[1], openable.outward[0]))
        name = openable.fixture
        if openable.kind == DRAWER_KIND:
            spot = drawer_spot(openable)
            height = 2 * openable.interiors[0].half[2]
            return (Place(name, DRAWER, name, 0, spot, outward, height),) if spot else ()
        heights = {space.bottom: 2 * space.half[2] for space in openable.interiors}
        return tuple(
            Place(name, DOOR, name, spot.leaf, spot.point, outward, heights[spot.point[2]])
            for spot in shelf_spots(openable)
        )

    def _in_the_way(self, openable: Openable) -> bool:
        half = openable.box.half
        face = np.array(openable.box.centre[:2]) + openable.outward * (half[1] + SWING / 2)
        swing = Box((*map(float, face), 0.5), (half[0], SWING / 2, 0.5), openable.yaw)
        return any(overlap(swing, zone) for zone in self._work_zones)

    @cached_property
    def _work_zones(self) -> list[Box]:
        zones = []
        for half, depth in WORK_ZONES:
            x, y, _ = self.work.to_world((0.0, -self.work.size[1] / 2 - depth / 2))
            zones.append(Box((x, y, 0.5), (half, depth / 2, 0.5), self.work.yaw))
        return zones

    @cached_property
    def small_spots(self) -> list[Spot]:
        """Free patches of counters for a thing, clear of the work patch, that the robot gets to."""
        return [spot for spot in self.plan.small_spots if self._serves(spot)]

    @cached_property
    def large_spots(self) -> list[Spot]:
        """The same for a cover and where it is set down."""
        return [spot for spot in self.plan.large_spots if self._serves(spot)]

    def _serves(self, spot: Spot) -> bool:
        work = self.work
        taken = Box(work.origin, (work.size[0] / 2 + WORK_AIR, work.size[1] / 2 + WORK_AIR, 1.0), work.yaw)
        patch = Box(spot.origin, (spot.size[0] / 2, spot.size[1] / 2, 1.0), spot.yaw)
        outward = np.array([np.sin(spot.yaw), -np.cos(spot.yaw)])
        edge = np.array(spot.to_world((0.0, -spot.size[1] / 2))[:2])
        return not overlap(patch, taken) and self.reachable(edge, outward)
