"""Where the hand and the base go to take hold of a front by its handle bar.

The arm reaches low bars only with the hand tilted forward (pitch, from pointing down), the lower the steeper; a level
hand is out of its reach below 1.3 m. The figures come from inverse kinematics of the arm with the fingers opening
sideways and leave at least 0.2 rad to every joint limit.
"""

from __future__ import annotations

import numpy as np

from sim.floor import FloorMap
from sim.openable import Bar, Front, Openable
from sim.world import World

HEIGHTS = (0.44, 0.47, 0.51, 0.54, 0.60, 0.68, 0.76, 0.85, 1.00)
"""Bar heights, m, for the next two rows."""
PITCH = (0.40, 0.47, 0.54, 0.60, 0.66, 0.70, 0.74, 0.80, 0.95)
"""Tilt of the hand, rad; 0 points down, pi / 2 forward."""
AHEAD = (0.62, 0.65, 0.68, 0.71, 0.75, 0.78, 0.80, 0.80, 0.78)
"""How far ahead of the base frame the bar is best, m."""
NEARER = 1.4
"""The hand tilts less when the bar is nearer than that, rad/m."""
LEAST_PITCH = 0.12
FINGER_HALF = 0.0088
"""Half width of a finger across the way it opens, m (tasks.md 5; the collision mesh)."""

FOOT_X = (0.10, 0.0, -0.10, -0.20, -0.30, -0.40, -0.50)
FOOT_Y = (-0.24, -0.12, 0.0, 0.12, 0.24)
"""Points of the base's footprint in the base frame, m: 0.15 ahead, 0.55 behind, 0.25 to either side."""
AIR = 0.05
"""Room around the footprint, m."""


def pitch_at(height: float) -> float:
    """Tilt of the hand for a bar at a height, rad."""
    return float(np.interp(height, HEIGHTS, PITCH))


def pitch_near(height: float, ahead: float) -> float:
    """Tilt of the hand, rad, for a bar that is `ahead` of the base frame, m: less where it is nearer than best."""
    return max(pitch_at(height) - NEARER * max(reach_at(height) - ahead, 0.0), LEAST_PITCH)


def reach_at(height: float) -> float:
    """How far before a bar at a height the base frame stands, m."""
    return float(np.interp(height, HEIGHTS, AHEAD))


def tilted(toward: np.ndarray, pitch: float) -> np.ndarray:
    """Rotation (3, 3) of a gripper tilted from pointing down towards a world direction (2,), its fingers opening
    sideways.
    """
    forward = np.array([*toward[:2], 0.0]) / np.linalg.norm(toward[:2])
    z = np.sin(pitch) * forward - np.cos(pitch) * np.array([0, 0, 1.0])
    x = np.array([-forward[1], forward[0], 0.0])
    return np.column_stack([x, np.cross(z, x), z])


def opening(world: World, front: Front) -> float:
    """How far open a front is, m or rad."""
    return front.opened(float(world.data.qpos[world.model.joint(front.joint).qposadr[0]]))


def moving(world: World, front: Front) -> float:
    """How fast a front is opening, m/s or rad/s; negative while it shuts."""
    return front.opened(float(world.data.qvel[world.model.joint(front.joint).dofadr[0]]))


def bar_now(world: World, bar: Bar) -> np.ndarray:
    """Where the middle of a bar is, world (3,)."""
    return world.data.geom_xpos[world.model.geom(bar.geom).id].copy()


def stance_before(openable: Openable, point: np.ndarray, distance: float) -> tuple[float, float, float]:
    """The pose of the base frame that faces a front squarely at a distance from a world point."""
    x, y = point[:2] + openable.outward * distance
    yaw = float(np.arctan2(-openable.outward[1], -openable.outward[0]))
    return float(x), float(y), yaw


def fits(floor: FloorMap, stance: tuple[float, float, float]) -> bool:
    """Whether the base, a box, can stand at a pose of the base frame and came there straight from behind."""
    ahead = np.array([np.cos(stance[2]), np.sin(stance[2])])
    left = np.array([-ahead[1], ahead[0]])
    points = [np.array(stance[:2]) + x * ahead + y * left for x in FOOT_X for y in FOOT_Y]
    return all(floor.clear_of(point, AIR) for point in points)
