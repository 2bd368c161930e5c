"""Bringing a point into easy reach by stepping sideways along the work top."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Session
from oracles.skills.arm import base_frame, gripper_frame, move
from oracles.skills.drive import base_yaw, drive

SLACK = 0.15
"""A point this far to the side, m, is reached without stepping."""


def lateral(session: Session, point: np.ndarray) -> float:
    """How far to the robot's left a world point (3,) lies, m."""
    position, rotation = base_frame(session.world)
    return float(rotation[:, 1] @ (point - position))


def step_to(session: Session, point: np.ndarray, *, slack: float = SLACK, height: float | None = None) -> Motion[None]:
    """Steps sideways until `point` (3,) lies straight ahead, if it is further to the side than `slack`.

    Args:
        height: least world height of the grip site during the step, m; the hand rises first if it is lower.
    """
    if abs(lateral(session, point)) <= slack:
        return
    at, turn = gripper_frame(session.world)
    if height is not None and at[2] < height - 0.01:
        yield from move(session, np.array([at[0], at[1], height]), turn, tolerance=0.01, required=0.03)
    position, rotation = base_frame(session.world)
    stance = position + rotation[:, 1] * lateral(session, point)
    yield from drive(session, (stance[0], stance[1], base_yaw(session.world)))
