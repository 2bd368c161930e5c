"""The search family's tray: a white outlined square painted on the work top, marks only (figures: tasks.md 8.1).

The white line has a thin dark border on both sides, which the reference does not have: on a pale work top it would not
be seen.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import cos, sin

import mujoco

from tasks.props.extent import reach, solids

HALF = 0.17
LINES = (("border", 0.014, 0.0003, (0.13, 0.13, 0.14, 1.0)), ("line", 0.008, 0.0005, (0.97, 0.97, 0.97, 1.0)))
"""Name, width and thickness (m) and colour of the strokes; thick enough that what lies below does not flicker through.
"""
SHRINK = 0.004
"""A thing is inside when it lies inside the square made this much smaller, m."""
LEVEL = (-0.01, 0.06)
"""Where the underside of a thing on the tray may be, m over its level."""
SLOTS = {
    1: ((0.0, 0.0),),
    2: ((0.075, 0.0), (-0.075, 0.0)),
    3: ((0.09, -0.07), (-0.09, -0.07), (0.0, 0.08)),
}
"""Where that many targets find room, tray frame, m."""


def add_tray_mark(spec: mujoco.MjSpec, position: Sequence[float], yaw: float, name: str = "tray") -> None:
    """Paints the square. `position` is the point (3,) of the work top in its middle, m; `yaw` in rad."""
    body = spec.worldbody.add_body(name=name, pos=position, quat=[cos(yaw / 2), 0, 0, sin(yaw / 2)])
    widest = max(width for _, width, _, _ in LINES)
    for stroke, width, thickness, rgba in LINES:
        for side, axis in itertools.product((-1, 1), (0, 1)):
            size, pos = [width / 2, width / 2, thickness], [0.0, 0.0, 0.0]
            size[axis], pos[1 - axis] = HALF - (widest - width) / 2, side * (HALF - widest / 2)
            body.add_geom(
                name=f"{name}_{stroke}_{'xy'[axis]}{side:+d}",
                type=mujoco.mjtGeom.mjGEOM_BOX,
                size=size,
                pos=pos,
                rgba=rgba,
                group=1,
                contype=0,
                conaffinity=0,
                mass=0.001,  # MuJoCo refuses a body without any mass
            )


def inside(model: mujoco.MjModel, data: mujoco.MjData, tray: int, body: int) -> bool:
    """Whether the whole of a body (id) lies inside the tray (id of its body) and near its level.

    Support, rest and being upright are for the task to judge.
    """
    low, high = _bounds(model, data, tray, body)
    within = min(low[:2]) >= SHRINK - HALF and max(high[:2]) <= HALF - SHRINK
    return bool(within and LEVEL[0] <= low[2] <= LEVEL[1])


def overlaps(model: mujoco.MjModel, data: mujoco.MjData, tray: int, body: int) -> bool:
    """Whether a body's bounds, in the tray's frame, reach over the square, near its level."""
    low, high = _bounds(model, data, tray, body)
    over = max(low[:2]) < HALF and min(high[:2]) > -HALF
    return bool(over and LEVEL[0] <= low[2] <= LEVEL[1])


def _bounds(model: mujoco.MjModel, data: mujoco.MjData, tray: int, body: int) -> tuple[list[float], list[float]]:
    """Least and largest coordinates (3,) of a body in the tray's frame, m."""
    axes, origin, geoms = data.xmat[tray].reshape(3, 3).T, data.xpos[tray], solids(model, body)
    low = [-reach(model, data, geoms, -axis) - float(axis @ origin) for axis in axes]
    high = [reach(model, data, geoms, axis) - float(axis @ origin) for axis in axes]
    return low, high
