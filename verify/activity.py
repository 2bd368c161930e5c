"""How much of an episode is spent waiting, and how much pushing without effect.

A tick is *idle* if nothing is asked of the robot and it stands still; it *stalls* if motion is asked for and none
comes. A failed try against a locked part stalls for a moment, and that is part of exploring; minutes of it are not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

IDLE_SHARE = 0.10
STALL_SHARE = 0.10
STALL_RUN = 60
"""Most stalled ticks in a row: 3 s, the benchmark's filter for an arm that is stuck (tasks.md 1.2)."""
ASKED_NOTHING = 1e-3
ASKED_STEP = 0.002
"""m of arm or torso travel in one action from which it asks for motion."""
ASKED_TURN = 0.02
ASKED_BASE = 0.05
STILL = 3e-4
"""m a tick, of gripper, base, torso: less is standing still."""
STILL_TURN = 3e-3
STILL_FINGER = 1e-4


@dataclass(frozen=True)
class Activity:
    """Shares of ticks, 0 to 1, and the longest stall in ticks with the tick at which it starts."""

    idle_share: float
    stall_share: float
    longest_stall: int
    stall_start: int


def measure(actions: np.ndarray, robot: np.ndarray) -> Activity:
    """Counts idle and stalled ticks.

    Args:
        actions: float32 (T, 12).
        robot: the robot's state vectors, float32 (T+1, 16).
    """
    moving = _moves(robot.astype(np.float64))
    gripper = np.sign(actions[:, 6])
    switched = np.r_[False, gripper[1:] != gripper[:-1]]
    driven = actions[:, [0, 1, 2, 3, 4, 5, 7, 8, 9, 10]]
    idle = (np.abs(driven) < ASKED_NOTHING).all(axis=1) & ~switched & ~moving
    asked = (
        (np.linalg.norm(actions[:, 0:3], axis=1) * 0.05 >= ASKED_STEP)
        | (np.linalg.norm(actions[:, 3:6], axis=1) * 0.5 >= ASKED_TURN)
        | (np.abs(actions[:, 7:10]) >= ASKED_BASE).any(axis=1)
        | (np.abs(actions[:, 10]) * 0.05 >= ASKED_STEP)
    )
    stalled = asked & ~moving
    start, length = _longest_run(stalled)
    return Activity(float(idle.mean()), float(stalled.mean()), length, start)


def check_activity(activity: Activity) -> str:
    """What is wrong, in one sentence; '' if nothing is."""
    if activity.idle_share >= IDLE_SHARE:
        return f"{activity.idle_share:.1%} of the ticks are idle; it must be under {IDLE_SHARE:.0%}"
    if activity.stall_share >= STALL_SHARE:
        return f"in {activity.stall_share:.1%} of the ticks the robot is stuck; it must be under {STALL_SHARE:.0%}"
    if activity.longest_stall > STALL_RUN:
        return f"the robot is stuck for {activity.longest_stall} ticks from tick {activity.stall_start}"
    return ""


def _moves(robot: np.ndarray) -> np.ndarray:
    """Whether anything of the robot moves in each tick: bool (T,)."""
    step = np.abs(np.diff(robot, axis=0))
    return (
        (np.linalg.norm(step[:, 0:3], axis=1) >= STILL)
        | (_turn(robot[:, 3:7]) >= STILL_TURN)
        | (np.linalg.norm(step[:, 7:10], axis=1) >= STILL)
        | (_turn(robot[:, 10:14]) >= STILL_TURN)
        | (step[:, 14:16] >= STILL_FINGER).any(axis=1)
    )


def _turn(quaternions: np.ndarray) -> np.ndarray:
    """Angle (T,) in rad between successive quaternions (T+1, 4); the chord keeps precision at small angles."""
    a, b = quaternions[:-1], quaternions[1:]
    chord = np.minimum(np.linalg.norm(a - b, axis=1), np.linalg.norm(a + b, axis=1))
    return 4 * np.arcsin(np.clip(chord / 2, 0, 1))


def _longest_run(flags: np.ndarray) -> tuple[int, int]:
    """Start and length of the longest run of True."""
    edges = np.flatnonzero(np.diff(np.r_[0, flags.astype(int), 0]))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return 0, 0
    best = int((ends - starts).argmax())
    return int(starts[best]), int(ends[best] - starts[best])
