"""Where the robot's base can stand: a grid of the free floor. The ways over it are found in sim.lattice.

The hand, drawn in and carrying something, sticks out over the base at a height where only tall furniture stands. Read
off the collision geoms of the model, so that it works on a stored model alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import mujoco
import numpy as np

if TYPE_CHECKING:
    from sim.lattice import Lattice

CELL = 0.025
BASE_RADIUS = 0.45
"""Radius of the disc that the base needs to turn, m: its corners are 0.44 from where it turns."""
HAND_RADIUS = 0.55
"""Radius of the disc that the drawn in hand and what it carries need, m."""
HAND_LOWEST = 1.0
"""The hand carries things above this height, m."""
LOWEST, HIGHEST = 0.03, 1.5
"""What lies between these heights, m, is in the way of the base or the arm that it carries."""
MARGIN = 1.0


@dataclass(frozen=True)
class FloorMap:
    """Free floor.

    Attributes:
        clearance: float (nx, ny), distance from the cell's centre to the nearest obstacle, m.
        tall_clearance: the same for what is as high as the hand when it is carried through the kitchen.
        origin: world x, y of cell (0, 0).
    """

    clearance: np.ndarray
    tall_clearance: np.ndarray
    origin: np.ndarray

    @cached_property
    def open(self) -> np.ndarray:
        """bool (nx, ny): where the base can turn, with the hand drawn in."""
        return (self.clearance >= BASE_RADIUS) & (self.tall_clearance >= HAND_RADIUS)

    @cached_property
    def lattice(self) -> Lattice:
        """The ways over this floor."""
        from sim.lattice import Lattice

        return Lattice(self)

    def clear_of(self, point: np.ndarray, radius: float) -> bool:
        """Whether a disc on the floor at a world point (2,) touches nothing. What lies off the map is not free."""
        cell = self.cell(point)
        return self.inside(cell) and bool(self.clearance[cell] >= radius)

    def can_turn(self, point: np.ndarray) -> bool:
        """Whether the base, turning about a world point (2,), touches nothing."""
        cell = self.cell(point)
        return self.inside(cell) and bool(self.open[cell])

    def cell(self, point: np.ndarray) -> tuple[int, int]:
        """The cell that a world point (2,) lies in, on the map or not."""
        x, y = np.round((np.asarray(point)[:2] - self.origin) / CELL).astype(int)
        return int(x), int(y)

    def inside(self, cell: tuple[int, int]) -> bool:
        """Whether the map has that cell."""
        return 0 <= cell[0] < self.clearance.shape[0] and 0 <= cell[1] < self.clearance.shape[1]


def floor_map(model: mujoco.MjModel, data: mujoco.MjData, robot: frozenset[int]) -> FloorMap:
    """The free floor around everything that the robot can run into, from the kinematics in `data`.

    Args:
        robot: geoms that are not in the way: the robot's own, and what it may carry.
    """
    solid = [g for g in range(model.ngeom) if g not in robot and _in_the_way(model, data, g, LOWEST)]
    tall = {g for g in solid if _in_the_way(model, data, g, HAND_LOWEST)}
    return free_floor([(_plan(model, data, g), g in tall) for g in solid])


def free_floor(plans: Sequence[tuple[np.ndarray, bool]]) -> FloorMap:
    """The floor around obstacles.

    Args:
        plans: for each, points (n, 2) whose convex hull it covers, world, m, and whether it is as high as the hand.
    """
    corners = np.concatenate([plan for plan, _ in plans])
    origin = np.floor((corners.min(0) - MARGIN) / CELL) * CELL
    shape = np.ceil((corners.max(0) + MARGIN - origin) / CELL).astype(int) + 1
    solid, tall = np.zeros(shape, bool), np.zeros(shape, bool)
    for plan, is_tall in plans:
        _fill(solid, (plan - origin) / CELL)
        if is_tall:
            _fill(tall, (plan - origin) / CELL)
    return FloorMap(_distance(solid), _distance(tall), origin)


def _distance(blocked: np.ndarray) -> np.ndarray:
    from scipy.ndimage import distance_transform_edt

    return distance_transform_edt(~blocked) * CELL if blocked.any() else np.full(blocked.shape, np.inf)


def _in_the_way(model: mujoco.MjModel, data: mujoco.MjData, geom: int, lowest: float) -> bool:
    """Whether a geom collides and reaches between a height, m, and the top of the arm."""
    if not (model.geom_contype[geom] or model.geom_conaffinity[geom]):
        return False
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_PLANE:
        return False
    reach = np.abs(data.geom_xmat[geom][6:]) @ model.geom_aabb[geom][3:]
    z = data.geom_xpos[geom][2] + data.geom_xmat[geom][6:] @ model.geom_aabb[geom][:3]
    return bool(z + reach > lowest and z - reach < HIGHEST)


def _plan(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> np.ndarray:
    """Plan corners (8, 2) of a geom's bounding box, in the world."""
    signs = np.array(np.meshgrid(*[(-1, 1)] * 3)).reshape(3, -1).T
    corners = model.geom_aabb[geom][:3] + signs * model.geom_aabb[geom][3:]
    return (corners @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])[:, :2]


def _fill(blocked: np.ndarray, corners: np.ndarray) -> None:
    """Marks the cells whose centres lie within half a cell of the convex hull of corners (n, 2), in cells."""
    from scipy.spatial import ConvexHull, QhullError

    low = np.maximum(np.floor(corners.min(0)).astype(int) - 1, 0)
    high = np.minimum(np.ceil(corners.max(0)).astype(int) + 2, blocked.shape)
    cells = np.stack(np.meshgrid(*(np.arange(a, b) for a, b in zip(low, high, strict=True)), indexing="ij"), -1)
    try:
        planes = ConvexHull(corners).equations
    except QhullError:
        blocked[low[0] : high[0], low[1] : high[1]] = True
        return
    inside = (cells @ planes[:, :2].T + planes[:, 2] <= 0.5).all(-1)
    blocked[low[0] : high[0], low[1] : high[1]] |= inside
