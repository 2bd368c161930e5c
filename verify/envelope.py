"""The demonstration envelope: what an action of a demonstration may be (DESIGN.md, "Robot").

The limits are written down here a second time on purpose: a judge that reads them from the code that enforces them
would wave a mistake through.
"""

from __future__ import annotations

import numpy as np

ACTION_SIZE = 12
ARM_STEP_LIMIT = 0.015 / 0.05
"""Arm translation per axis, in action units: 0.015 m a tick, and 1 unit is 0.05 m."""
ARM_TURN_LIMIT = 0.12 / 0.5
"""Arm rotation per axis, in action units: 0.12 rad a tick, and 1 unit is 0.5 rad."""
BASE_LIMIT = 0.5
LIMITS = np.array([ARM_STEP_LIMIT] * 3 + [ARM_TURN_LIMIT] * 3 + [1.0] + [BASE_LIMIT] * 3 + [1.0, 1.0])
ROUNDING = 1e-6
"""float32 does not hold 0.3 exactly."""


def check_actions(actions: np.ndarray) -> str:
    """What is wrong with the actions of an episode, float32 (T, 12), in one sentence; '' if nothing is."""
    if actions.dtype != np.float32 or actions.ndim != 2 or actions.shape[1] != ACTION_SIZE:
        return f"actions are {actions.dtype} {actions.shape}; they must be float32 (T, {ACTION_SIZE})"
    if not len(actions):
        return "there are no actions"
    if not np.isfinite(actions).all():
        tick, axis = np.argwhere(~np.isfinite(actions))[0]
        return f"action {tick} is not finite in dimension {axis}"
    outside = np.argwhere(np.abs(actions.astype(np.float64)) > LIMITS + ROUNDING)
    if len(outside):
        tick, axis = outside[0]
        return (
            f"action {tick} is {actions[tick, axis]:.4f} in dimension {axis}, outside ±{LIMITS[axis]:.2f} "
            f"({len(np.unique(outside[:, 0]))} such ticks)"
        )
    arm = np.any(actions[:, 0:6] != 0, axis=1)
    base = np.any(actions[:, 7:10] != 0, axis=1)
    both = np.flatnonzero(arm & base)
    if len(both):
        return f"action {both[0]} moves the arm and the base at once ({len(both)} such ticks)"
    unmoored = np.flatnonzero(base & (actions[:, 11] <= 0))
    if len(unmoored):
        return f"action {unmoored[0]} drives the base without base mode ({len(unmoored)} such ticks)"
    return ""
