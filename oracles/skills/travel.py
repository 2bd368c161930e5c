"""Driving from one stance to another through the kitchen without touching furniture, also with something in the hand.

The way is found for the footprint as it is turned (sim.lattice). A stance is so close to furniture that the base only
enters and leaves it straight. The hand is drawn in and held above the work tops before the base moves.
"""

from __future__ import annotations

import itertools

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down, move
from oracles.skills.drive import base_yaw, drive
from sim.floor import CELL, FloorMap
from sim.lattice import NoRoute, Pose

NEAR = 0.5
"""A stance so near, m, that is faced already and straight ahead or behind, is gone to at once."""
SAME_HEADING = 0.35
ASIDE = 0.06
"""What counts as straight ahead, m."""
BESIDE = 0.8
"""From so near, m, the base goes straight to another stance before the same furniture."""
LOW = 0.02
"""A hand so much lower than it should be, m, is raised."""
DOCK_LIMIT = 1.0
"""Furthest behind a stance, m, that the base may have to go to be free."""
AHEAD_LIMIT = 0.3
"""The same ahead of it, m."""
TUCKED = (0.22, 0.0, 0.50)
"""The hand while travelling, base frame, m: what hangs from it passes over a cover on a work top."""
SAFE_HEIGHT = 0.46
SAFE_AHEAD = 0.35
"""A hand at least so high and at most so far ahead, base frame, m, needs no tucking."""
PASSING = 0.03
"""How near the base comes to a corner that it only passes, m."""
PASSING_TURN = 0.06
"""How nearly it has turned before it sets off, rad."""
STILL_TURNING = 0.35
"""The same where it goes on turning, rad."""


def travel(session: Session, stance: Pose) -> Motion[None]:
    """Drives to a pose of the base frame: world x, y (m) and yaw (rad).

    Raises:
        SkillFailed(UNREACHABLE): the floor offers no way. SkillFailed(STALLED): the base got stuck.
    """
    yield from tuck(session)
    if not _straight_ahead(session, stance):
        corners = _corners(session, stance)
        for at, corner, after in zip([None, *corners], corners, [*corners[1:], None], strict=False):
            turning = after is not None and at is not None and _spin(at, corner) and _spin(corner, after)
            turn = STILL_TURNING if turning else PASSING_TURN
            yield from drive(session, corner, tolerance=PASSING, turn_tolerance=turn, settle=0)
    yield from drive(session, stance)


def sidestep(session: Session, stance: Pose, height: float) -> Motion[None]:
    """Goes to a stance from one before the same furniture: straight, the hand raised over what stands open there.

    From elsewhere it travels.

    Args:
        height: world height of the grip site, m; it is raised to that if it is lower.

    Raises:
        SkillFailed: as `travel`. SkillFailed(UNREACHABLE): the hand does not come up.
    """
    away, turn = apart(session, stance)
    if away >= BESIDE or turn >= SAME_HEADING:
        yield from travel(session, stance)
        return
    at, hand = gripper_frame(session.world)
    if at[2] < height - LOW:
        yield from move(session, np.array([at[0], at[1], height]), hand, tolerance=0.02, required=0.05)
    yield from drive(session, stance)


def pose_now(session: Session) -> Pose:
    """Where the base is."""
    position, _ = base_frame(session.world)
    return float(position[0]), float(position[1]), base_yaw(session.world)


def apart(session: Session, stance: Pose) -> tuple[float, float]:
    """How far the base is from a pose, m, and turned away from it, rad."""
    x, y, yaw = pose_now(session)
    turn = (stance[2] - yaw + np.pi) % (2 * np.pi) - np.pi
    return float(np.hypot(stance[0] - x, stance[1] - y)), abs(float(turn))


def way_to(session: Session, stance: Pose) -> float:
    """How far the base has to go to a stance, m; infinite if the floor offers no way."""
    position, _ = base_frame(session.world)
    here = np.array(position[:2])
    if _straight_ahead(session, stance):
        return float(np.linalg.norm(here - stance[:2]))
    try:
        points = [here, *(np.array(corner[:2]) for corner in _corners(session, stance)), np.array(stance[:2])]
    except SkillFailed:
        return float("inf")
    return float(sum(np.linalg.norm(b - a) for a, b in itertools.pairwise(points)))


def tuck(session: Session) -> Motion[None]:
    """Draws the hand, and what it holds, in and up to where it rides through the kitchen, unless it is there."""
    at, turn = gripper_frame(session.world)
    position, rotation = base_frame(session.world)
    ahead, _, up = rotation.T @ (at - position)
    upright = session.grip > 0 or turn[2, 2] < -0.9  # what a tilted hand holds stands upright in it
    if ahead <= SAFE_AHEAD and up >= SAFE_HEIGHT and upright:
        return
    hand = position + rotation @ np.array(TUCKED)
    over = np.array([at[0], at[1], hand[2]])
    if up < SAFE_HEIGHT - 0.1:
        yield from move(session, over, turn, tolerance=0.05, required=0.15)
    yield from move(
        session, hand, hand_down(session.world, rotation[:2, 1]), tolerance=0.03, turn_tolerance=0.1, required=0.10
    )


def _straight_ahead(session: Session, stance: Pose) -> bool:
    position, _ = base_frame(session.world)
    aside = (np.array(stance[:2]) - position[:2]) @ [-np.sin(stance[2]), np.cos(stance[2])]
    away, turn = apart(session, stance)
    return bool(away < NEAR and turn < SAME_HEADING and abs(aside) < ASIDE)


def _corners(session: Session, stance: Pose) -> list[Pose]:
    floor = session.floor
    try:
        return floor.lattice.route([_clear(floor, pose_now(session))], [_clear(floor, stance)])
    except NoRoute as error:
        raise SkillFailed(Reason.UNREACHABLE, str(error)) from error


def _clear(floor: FloorMap, stance: Pose) -> Pose:
    """The nearest pose straight behind a stance, or in a narrow aisle ahead of it, with nothing around the base."""
    back = -np.array([np.cos(stance[2]), np.sin(stance[2])])
    for distance in np.arange(0.0, DOCK_LIMIT, CELL):
        for way in (distance, -distance) if distance <= AHEAD_LIMIT else (distance,):
            x, y = np.array(stance[:2]) + way * back
            if floor.lattice.stands((float(x), float(y), stance[2])):
                return float(x), float(y), stance[2]
    raise SkillFailed(Reason.UNREACHABLE, f"there is no free floor within {DOCK_LIMIT} m behind {np.round(stance, 2)}")


def _spin(a: Pose, b: Pose) -> bool:
    return a[2] != b[2]
