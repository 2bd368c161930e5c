"""Driving from one stance to another through the kitchen without touching furniture.

The way is planned for a disc that the base fits in whichever way it is turned (sim.floor). Close to furniture the base
only ever moves straight: back out of a stance, over the free floor facing the way it goes, to a point behind the new
stance, and straight in.
"""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, hand_down, move
from oracles.skills.drive import PIVOT, base_yaw, drive
from sim.floor import CELL, FloorMap, NoRoute

NEAR = 0.5
"""A stance so near, m, that is faced already, is gone to straight."""
SAME_HEADING = 0.35
DOCK_LIMIT = 0.9
"""Furthest behind a stance, m, that the base turns to enter it."""
TUCKED = (0.30, 0.0, 0.45)
"""The hand while travelling, base frame, m."""


def travel(session: Session, stance: tuple[float, float, float]) -> Motion[None]:
    """Drives to a pose of the base frame: world x, y (m) and yaw (rad).

    Raises:
        SkillFailed(UNREACHABLE): the floor offers no way. SkillFailed(STALLED): the base got stuck.
    """
    position, _ = base_frame(session.world)
    turn = (stance[2] - base_yaw(session.world) + np.pi) % (2 * np.pi) - np.pi
    if np.linalg.norm(np.array(stance[:2]) - position[:2]) < NEAR and abs(turn) < SAME_HEADING:
        yield from drive(session, stance)
        return
    yield from _tuck(session)
    floor = session.floor
    here, heading = _pivot(position[:2], base_yaw(session.world)), base_yaw(session.world)
    out = _free_behind(floor, here, heading)
    dock = _free_behind(floor, _pivot(np.array(stance[:2]), stance[2]), stance[2])
    try:
        corners = floor.route(out, dock)
    except NoRoute as error:
        raise SkillFailed(Reason.UNREACHABLE, str(error)) from error
    if np.linalg.norm(out - here) > CELL:
        yield from drive(session, _pose(out, heading))
    for corner in corners:
        step = corner - out
        if np.linalg.norm(step) > NEAR:
            heading = float(np.arctan2(step[1], step[0]))
            yield from drive(session, _pose(out, heading))
        yield from drive(session, _pose(corner, heading))
        out = corner
    yield from drive(session, _pose(dock, stance[2]))
    yield from drive(session, stance)


def _pivot(position: np.ndarray, yaw: float) -> np.ndarray:
    return position - PIVOT * np.array([np.cos(yaw), np.sin(yaw)])


def _pose(pivot: np.ndarray, yaw: float) -> tuple[float, float, float]:
    x, y = pivot + PIVOT * np.array([np.cos(yaw), np.sin(yaw)])
    return float(x), float(y), yaw


def _free_behind(floor: FloorMap, pivot: np.ndarray, yaw: float) -> np.ndarray:
    """The nearest point straight behind where the base may turn."""
    back = np.array([np.cos(yaw), np.sin(yaw)])
    for distance in np.arange(0.0, DOCK_LIMIT, CELL / 2):
        if floor.clear_of(pivot - distance * back):
            return pivot - distance * back
    raise SkillFailed(Reason.UNREACHABLE, f"there is no room to turn within {DOCK_LIMIT} m behind {pivot.round(2)}")


def _tuck(session: Session) -> Motion[None]:
    position, rotation = base_frame(session.world)
    hand = position + rotation @ np.array(TUCKED)
    yield from move(session, hand, hand_down(session.world, rotation[:2, 1]), tolerance=0.03, required=0.10)
