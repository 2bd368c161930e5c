"""Top-down grasps: pinch something from above, carry it, set it down."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import gripper_frame, gripper_gap, move, set_gripper

MIN_GAP = 0.004
"""Fingers that close further than this hold nothing (tasks.md 5)."""
APPROACH = 0.06


def grasp(session: Session, position: np.ndarray, rotation: np.ndarray, *, approach: float = APPROACH) -> Motion[None]:
    """Opens, comes in from above along the approach axis, and closes.

    Args:
        position: world point (3,) for the grip site. rotation: (3, 3), see `hand_down`.
        approach: height above the grasp from which it comes straight down, m.

    Raises:
        SkillFailed(UNREACHABLE | SLIPPED).
    """
    above = position - approach * rotation[:, 2]
    if session.grip > 0:
        yield from set_gripper(session, close=False)
    yield from move(session, above, rotation, tolerance=0.008, turn_tolerance=0.06)
    yield from move(session, position, rotation, tolerance=0.004)
    yield from set_gripper(session, close=True)
    if gripper_gap(session.world) < MIN_GAP:
        raise SkillFailed(Reason.SLIPPED, "the fingers closed on nothing")


def release(session: Session, retreat: float = APPROACH) -> Motion[None]:
    """Opens and backs out along the approach axis."""
    yield from set_gripper(session, close=False)
    at, turn = gripper_frame(session.world)
    yield from move(session, at - retreat * turn[:, 2], turn, tolerance=0.01, required=0.03)


def lift(session: Session, height: float) -> Motion[None]:
    """Raises what is held. Raises SkillFailed(SLIPPED) if it is lost on the way."""
    at, turn = gripper_frame(session.world)
    yield from move(session, at + [0, 0, height], turn, tolerance=0.01, required=0.03)
    if gripper_gap(session.world) < MIN_GAP:
        raise SkillFailed(Reason.SLIPPED, "what was held fell while it was lifted")
