"""A fixed serving tray with a low rim (tasks.md 8.9: "trays fixed"; the parametric stand-in for RoboCasa's tray
models).
"""

from __future__ import annotations

import mujoco
import numpy as np

from tasks.props.solids import add_solid

HALF = (0.105, 0.080)
"""Outer half extents along the tray's x and y, m."""
FLOOR = 0.006
RIM = 0.016
WALL = 0.006
INSET = 0.012
"""A thing is in the tray when its centre is this far inside the outer edge."""


def add_tray(
    spec: mujoco.MjSpec,
    position: tuple[float, float, float],
    yaw: float,
    rgb: tuple[float, float, float],
    name: str = "tray",
) -> None:
    """Adds a tray. `position` is the point on the work top under its centre; `yaw` in rad."""
    body = spec.worldbody.add_body(name=name, pos=position, quat=[np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)])
    rgba, dark = (*rgb, 1), (*(0.75 * c for c in rgb), 1)
    friction = (1.0, 0.01, 0.001)
    x, y = HALF
    add_solid(body, f"{name}_floor", "box", (x, y, FLOOR / 2), pos=(0, 0, FLOOR / 2), rgba=rgba, friction=friction)
    for side in (-1, 1):
        long_wall = (x, WALL / 2, RIM / 2)
        short_wall = (WALL / 2, y - WALL, RIM / 2)
        add_solid(body, f"{name}_wall_y{side:+d}", "box", long_wall, pos=(0, side * (y - WALL / 2), RIM / 2), rgba=dark)
        add_solid(
            body, f"{name}_wall_x{side:+d}", "box", short_wall, pos=(side * (x - WALL / 2), 0, RIM / 2), rgba=dark
        )


def in_tray(data: mujoco.MjData, tray_body: int, point: np.ndarray, bottom: float) -> bool:
    """Whether a thing with its centre at `point` (3,) and its lowest point at height `bottom` (m, world) is in the
    tray.
    """
    local = data.xmat[tray_body].reshape(3, 3).T @ (point - data.xpos[tray_body])
    inside = bool(np.all(np.abs(local[:2]) <= np.array(HALF) - INSET))
    return inside and bool(-0.006 <= bottom - (data.xpos[tray_body][2] + FLOOR) <= 0.030)
