"""Sliding a part that the gripper holds along a line, and feeling how far it goes."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import gripper_frame, gripper_gap, servo
from oracles.skills.grasp import MIN_GAP

ARRIVED = 0.003
STALL_TICKS = 6
STALL_DISTANCE = 0.012
"""Less than this in STALL_TICKS, half of the free pace, and the part is held: longer pulling would twist the
fingers off.
"""
LEAD = 0.03
"""The servo aims this far ahead of the hand, so that it pulls evenly until the end of the way."""


def slide(session: Session, direction: np.ndarray, distance: float, *, speed: float = 1.0) -> Motion[float]:
    """Moves the closed hand along a straight line until it has gone the distance or can go no further.

    Args:
        direction: unit vector (3,), world. distance: metres.

    Returns:
        How far the hand went along the line, m: what a blocked part answers.

    Raises:
        SkillFailed(SLIPPED): the fingers lost the part.
    """
    start, turn = gripper_frame(session.world)
    gone = 0.0
    way = [0.0]
    while gone < distance - ARRIVED:
        if len(way) > STALL_TICKS and gone - way[-1 - STALL_TICKS] < STALL_DISTANCE:
            break
        ahead = min(distance, gone + LEAD)
        yield servo(session, start + ahead * direction, turn, speed)
        at, _ = gripper_frame(session.world)
        gone = float((at - start) @ direction)
        way.append(gone)
        if gripper_gap(session.world) < MIN_GAP:
            raise SkillFailed(Reason.SLIPPED, "the fingers slipped off what they pulled")
    return gone
