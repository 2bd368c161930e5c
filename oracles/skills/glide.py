"""Driving the base while the hand holds on to furniture: straight, or along an arc, at an even pace.

The base moves in base mode, so the arm's target rides along: whatever the hand holds comes with it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, still_action
from oracles.skills.drive import _command, base_yaw

PACE = 0.20
"""Speed with the hand on a front, m/s."""
YAW_GAIN = 2.0
STALL_TICKS = 20
STALL_DISTANCE = 0.006
SETTLE_TICKS = 4


def glide(
    session: Session,
    ahead: Callable[[np.ndarray], np.ndarray | None],
    *,
    pace: float = PACE,
    limit: int = 200,
) -> Motion[None]:
    """Moves the base without turning it.

    Args:
        ahead: given how far the base has come, world (2,) m, where it shall go next, on the same scale; None to stop.
        pace: m/s; slower within the last centimetres before the point ahead.

    Raises:
        SkillFailed(STALLED): the base no longer moves.
    """
    start, _ = base_frame(session.world)
    yaw = base_yaw(session.world)
    way = [np.zeros(2)]
    for _ in range(limit):
        position, _ = base_frame(session.world)
        gone = position[:2] - start[:2]
        goal = ahead(gone)
        if goal is None:
            break
        way.append(gone)
        if len(way) > STALL_TICKS and np.linalg.norm(gone - way[-1 - STALL_TICKS]) < STALL_DISTANCE:
            raise SkillFailed(Reason.STALLED, f"the base stopped after {np.linalg.norm(gone):.2f} m")
        error = goal - gone
        distance = max(float(np.linalg.norm(error)), 1e-9)
        velocity = error / distance * min(pace, 4 * distance + 0.03)
        now = base_yaw(session.world)
        turn = (yaw - now + np.pi) % (2 * np.pi) - np.pi
        spin = YAW_GAIN * turn if abs(turn) > 0.01 else 0.0
        yield _command(session, velocity, spin, now)
    for _ in range(SETTLE_TICKS):
        action = still_action(session)
        action[-1] = 1.0
        yield action


def straight(way: np.ndarray, done: Callable[[], bool] = lambda: False) -> Callable[[np.ndarray], np.ndarray | None]:
    """For `glide`: along a vector (2,) m to its end, or until `done`."""
    length = float(np.linalg.norm(way))

    def ahead(gone: np.ndarray) -> np.ndarray | None:
        return None if done() or gone @ way / length > length - 0.005 else way

    return ahead
