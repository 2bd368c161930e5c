"""Driving from one stance to another through the kitchen without touching furniture, also with something in the hand.

The way is planned for a disc that the base fits in whichever way it is turned (sim.floor). Close to furniture the base
only ever moves straight: back out of a stance, over the free floor facing the way it goes, to a point behind the new
stance, and straight in. The hand is drawn in and held above the work tops before the base moves.
"""

from __future__ import annotations

import itertools

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down, move
from oracles.skills.drive import PIVOT, base_yaw, drive
from oracles.skills.fronts import fits
from sim.floor import CELL, FloorMap, NoRoute

NEAR = 0.5
"""A stance so near, m, that is faced already, is gone to without turning."""
SAME_HEADING = 0.35
ASIDE = 0.06
"""Such a stance further to the side, m, is gone to by backing off first."""
BACK_OFF = (0.0, 0.1, 0.2, 0.3)
"""How far, m."""
LONG_STEP = 0.5
"""The base faces the way on legs longer than this, m."""
DOCK_LIMIT = 0.9
"""Furthest behind a stance, m, that the base turns to enter it."""
AHEAD_LIMIT = 0.3
"""The same ahead of it, m."""
TUCKED = (0.22, 0.0, 0.45)
"""The hand while travelling, base frame, m: what hangs from it stays above work tops."""
SAFE_HEIGHT = 0.40
SAFE_AHEAD = 0.35
"""A hand at least so high and at most so far ahead, base frame, m, needs no tucking."""
PASSING = 0.06
"""How near the base comes to a corner that it only passes, m."""
PASSING_TURN = 0.10
"""How nearly it faces the way before it sets off, rad."""


def travel(session: Session, stance: tuple[float, float, float]) -> Motion[None]:
    """Drives to a pose of the base frame: world x, y (m) and yaw (rad).

    Raises:
        SkillFailed(UNREACHABLE): the floor offers no way. SkillFailed(STALLED): the base got stuck.
    """
    yield from tuck(session)
    short = _short_way(session, stance)
    if short is not None:
        for pose in short:
            yield from drive(session, pose, tolerance=PASSING / 2, settle=0)
        yield from drive(session, stance)
        return
    position, _ = base_frame(session.world)
    floor = session.floor
    here, heading = _pivot(position[:2], base_yaw(session.world)), base_yaw(session.world)
    out = _free_behind(floor, here, heading)
    dock = _free_behind(floor, _pivot(np.array(stance[:2]), stance[2]), stance[2])
    try:
        corners = floor.route(out, dock)
    except NoRoute as error:
        raise SkillFailed(Reason.UNREACHABLE, str(error)) from error
    if np.linalg.norm(out - here) > CELL:
        yield from _pass(session, out, heading)
    for corner in corners:
        step = corner - out
        if np.linalg.norm(step) > LONG_STEP:
            heading = float(np.arctan2(step[1], step[0]))
            yield from _pass(session, out, heading)
        yield from _pass(session, corner, heading)
        out = corner
    yield from drive(session, _pose(dock, stance[2]), settle=0)
    yield from drive(session, stance)


def way_to(session: Session, stance: tuple[float, float, float]) -> float:
    """How far the base has to go to a stance, m; infinite if the floor offers no way."""
    position, _ = base_frame(session.world)
    here = _pivot(position[:2], base_yaw(session.world))
    there = _pivot(np.array(stance[:2]), stance[2])
    floor = session.floor
    try:
        out = _free_behind(floor, here, base_yaw(session.world))
        dock = _free_behind(floor, there, stance[2])
        points = [here, out, *floor.route(out, dock), dock, there]
    except (NoRoute, SkillFailed):
        return float("inf")
    return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(points)))


def tuck(session: Session) -> Motion[None]:
    """Draws the hand, and what it holds, in and up to where it rides through the kitchen, unless it is there."""
    at, turn = gripper_frame(session.world)
    position, rotation = base_frame(session.world)
    ahead, _, up = rotation.T @ (at - position)
    if ahead <= SAFE_AHEAD and up >= SAFE_HEIGHT and turn[2, 2] < -0.9:
        return
    hand = position + rotation @ np.array(TUCKED)
    over = np.array([at[0], at[1], hand[2]])
    if up < SAFE_HEIGHT - 0.1:
        yield from move(session, over, turn, tolerance=0.05, required=0.15)
    yield from move(
        session, hand, hand_down(session.world, rotation[:2, 1]), tolerance=0.03, turn_tolerance=0.1, required=0.10
    )


def _short_way(session: Session, stance: tuple[float, float, float]) -> list[tuple[float, float, float]] | None:
    """Poses on the way to a stance that is near and faced already, moving straight; None if it is not, or if furniture
    is in the way.
    """
    position, _ = base_frame(session.world)
    turn = (stance[2] - base_yaw(session.world) + np.pi) % (2 * np.pi) - np.pi
    goal = np.array(stance[:2])
    if np.linalg.norm(goal - position[:2]) >= NEAR or abs(turn) >= SAME_HEADING:
        return None
    ahead = np.array([np.cos(stance[2]), np.sin(stance[2])])
    left = np.array([-ahead[1], ahead[0]])
    if abs(left @ (goal - position[:2])) < ASIDE:
        return []
    depth = min(ahead @ position[:2], ahead @ goal)
    for back in BACK_OFF:
        first, last = (p + (depth - back - ahead @ p) * ahead for p in (position[:2], goal))
        if all(fits(session.floor, (*(first + (last - first) * t), stance[2])) for t in np.linspace(0, 1, 9)):
            return [(*map(float, first), stance[2]), (*map(float, last), stance[2])]
    return None


def _pass(session: Session, pivot: np.ndarray, yaw: float) -> Motion[None]:
    """Drives to a pose on the way without stopping there."""
    yield from drive(session, _pose(pivot, yaw), tolerance=PASSING, turn_tolerance=PASSING_TURN, settle=0)


def _pivot(position: np.ndarray, yaw: float) -> np.ndarray:
    return position - PIVOT * np.array([np.cos(yaw), np.sin(yaw)])


def _pose(pivot: np.ndarray, yaw: float) -> tuple[float, float, float]:
    x, y = pivot + PIVOT * np.array([np.cos(yaw), np.sin(yaw)])
    return float(x), float(y), yaw


def _free_behind(floor: FloorMap, pivot: np.ndarray, yaw: float) -> np.ndarray:
    """The nearest point where the base may turn, straight behind or, before a narrow aisle's other side, ahead."""
    back = -np.array([np.cos(yaw), np.sin(yaw)])
    for distance in np.arange(0.0, DOCK_LIMIT, CELL):
        if floor.can_turn(pivot + distance * back):
            return pivot + distance * back
        if distance <= AHEAD_LIMIT and floor.can_turn(pivot - distance * back):
            return pivot - distance * back
    raise SkillFailed(Reason.UNREACHABLE, f"there is no room to turn within {DOCK_LIMIT} m behind {pivot.round(2)}")
