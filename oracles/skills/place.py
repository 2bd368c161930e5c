"""Carrying what the hand holds to a place and setting it down upright."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, gripper_gap, hand_down, move
from oracles.skills.grasp import MIN_GAP, release
from oracles.skills.reach import step_to

HOVER = 0.10
CARRY_AHEAD = 0.50
"""Furthest ahead of the base frame that the hand carries something, m."""
CLEARANCE = 0.003


def place(
    session: Session,
    point: np.ndarray,
    held_below: float,
    *,
    carry_height: float,
    base_R_hand: np.ndarray | None = None,
) -> Motion[None]:
    """Carries and sets down.

    Args:
        point: world point (3,) of the surface where the thing's underside goes.
        held_below: distance from the grip site down to the thing's underside, m.
        carry_height: world height of the grip site on the way, m.
        base_R_hand: rotation (3, 3) of the hand in the base frame where it lets go; straight down and square if None.

    Raises:
        SkillFailed(DROPPED): the thing was lost on the way.
    """
    at, turn = gripper_frame(session.world)
    position, base = base_frame(session.world)
    # Far ahead and high up the elbow straightens, and the servo does not leave that limit again: draw the hand in.
    ahead = float(base[:, 0] @ (at - position))
    drawn_in = at - max(0.0, ahead - CARRY_AHEAD) * base[:, 0]
    yield from move(session, np.array([*drawn_in[:2], carry_height]), turn, tolerance=0.015, required=0.04)
    yield from step_to(session, point, slack=0.10)
    _, base = base_frame(session.world)
    turn = hand_down(session.world, base[:2, 1]) if base_R_hand is None else base @ base_R_hand
    site = point + [0, 0, held_below + CLEARANCE]
    over = np.array([site[0], site[1], max(site[2] + HOVER, carry_height - 0.05)])
    yield from move(session, over, turn, tolerance=0.012, turn_tolerance=0.08)
    if gripper_gap(session.world) < MIN_GAP:
        raise SkillFailed(Reason.DROPPED, "what was held fell on the way")
    yield from move(session, site, turn, tolerance=0.005, speed=0.7)
    yield from release(session, retreat=HOVER)
