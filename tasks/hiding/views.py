"""What the robot's cameras may show from a stance, by geometry alone: for sampling, and for planning where to look.

Walls and furniture in between are not considered: "not in view" is certain, "in view" is not.
"""

from __future__ import annotations

import numpy as np

from sim.frustum import pyramid

MARGIN_DEG = 3.0
"""Added to the half angle of every camera (tasks.md 8.1)."""
_AGENT = ((-0.20197, 0.52813, -0.82479), (-0.97930, -0.09726, 0.17753), (0.01354, 0.84358, 0.53684))
_WRIST = ((0.07087, 0.95933, -0.27324), (-0.99694, 0.05904, -0.05130), (-0.03308, 0.27603, 0.96058))


def _mirrored(rows: tuple[tuple[float, ...], ...]) -> np.ndarray:
    turn = np.array(rows)
    turn[1] *= -1
    turn[:, 0] *= -1
    return turn


LEFT, RIGHT, WRIST = (np.array(_AGENT), _mirrored(_AGENT), np.array(_WRIST))
AGENT_CAMERAS = ((np.array((-0.5, 0.35, 1.75)), LEFT, 60.0), (np.array((-0.5, -0.35, 1.75)), RIGHT, 60.0))
"""Position (x ahead, y left of the base, z over the floor, m), rotation (3, 3), fovy in degrees (tasks.md 2.3)."""
START_CAMERAS = (*AGENT_CAMERAS, (np.array((0.2686, -0.0063, 1.403)), WRIST, 75.0))
"""With the arm at home, the wrist camera too."""

Stance = tuple[float, float, float]


def may_show(stance: Stance, point: np.ndarray, radius: float, cameras: tuple = START_CAMERAS) -> bool:
    """Whether a ball reaches into a camera's pyramid, widened by the margin.

    Args:
        stance: base frame: world x, y (m) and yaw (rad).
        point: world (3,) m. radius: m.
    """
    local = _to_base(stance, point)
    return any(_distances(local, camera, MARGIN_DEG).min() > -radius for camera in cameras)


def shows(stance: Stance, point: np.ndarray, cameras: tuple = AGENT_CAMERAS) -> float:
    """Distance, m, from the nearest camera that has a world point (3,) in its picture; infinite if none has."""
    local = _to_base(stance, point)
    seen = [np.linalg.norm(local - camera[0]) for camera in cameras if _distances(local, camera, 0.0).min() > 0]
    return float(min(seen, default=np.inf))


def _to_base(stance: Stance, point: np.ndarray) -> np.ndarray:
    c, s = np.cos(stance[2]), np.sin(stance[2])
    dx, dy = point[0] - stance[0], point[1] - stance[1]
    return np.array([c * dx + s * dy, c * dy - s * dx, point[2]])


def _distances(local: np.ndarray, camera: tuple[np.ndarray, np.ndarray, float], margin: float) -> np.ndarray:
    """How far (5,) inside the planes of a camera's pyramid a point in the base frame lies, m."""
    at, turn, fovy = camera
    normals = pyramid(fovy + 2 * margin)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals @ turn.T @ (local - at)
