"""Moving the gripper: a Cartesian servo inside the demonstration envelope.

In arm mode the controller lays each tick's goal from the pose it has reached, so the gripper follows at up to 8 cm/s
and 0.6 rad/s, and a blocked gripper pushes with a bounded force instead of winding up.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from oracles.base import Motion, Reason, Session, SkillFailed
from sim.robot import (
    ARM_ROTATION_UNIT,
    ARM_TRANSLATION_UNIT,
    BASE_MODE,
    ENVELOPE_ROTATION,
    ENVELOPE_TRANSLATION,
    GRIPPER,
)
from sim.world import World

GAIN = 1.5
STALL_TICKS = 20
STALL_DISTANCE = 0.002
REQUIRED = 0.015
"""A waypoint missed by more than this, metres, is a failure."""
CLOSE_TICKS = 16
OPEN_TICKS = 12


def base_frame(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) and rotation (3, 3) of the robot's base frame in the world."""
    site = world.ids.base_site
    return world.data.site_xpos[site].copy(), world.data.site_xmat[site].reshape(3, 3).copy()


def gripper_frame(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Position (3,) and rotation (3, 3) of the grip site: z is the approach direction, x the way the fingers open."""
    site = world.ids.eef_site
    return world.data.site_xpos[site].copy(), world.data.site_xmat[site].reshape(3, 3).copy()


def gripper_gap(world: World) -> float:
    """Distance between the finger pads, metres, 0 to 0.08."""
    left, right = world.data.qpos[world.ids.finger_qpos]
    return float(left - right)


def hand_down(world: World, finger_direction: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of a gripper that points straight down with the fingers opening along a world direction (2,).

    Of the two equal grasps, the one that turns the wrist less is given.
    """
    x = np.array([*finger_direction[:2], 0.0]) / np.linalg.norm(finger_direction[:2])
    z = np.array([0.0, 0.0, -1.0])
    _, base = base_frame(world)
    if x @ base[:, 1] < 0 or (abs(x @ base[:, 1]) < 1e-6 and x @ base[:, 0] < 0):
        x = -x
    return np.column_stack([x, np.cross(z, x), z])


def still_action(session: Session) -> np.ndarray:
    """An action that moves nothing and keeps the gripper's command, float64 (12,)."""
    action = np.zeros(12)
    action[GRIPPER] = session.grip
    action[BASE_MODE] = -1.0
    return action


def servo(session: Session, position: np.ndarray, rotation: np.ndarray | None, speed: float = 1.0) -> np.ndarray:
    """One action (12,) towards a world pose of the grip site, straight in space. `speed` scales the envelope."""
    at, turn = gripper_frame(session.world)
    _, base = base_frame(session.world)
    action = still_action(session)
    action[0:3] = _limit(GAIN * base.T @ (position - at), ENVELOPE_TRANSLATION * speed) / ARM_TRANSLATION_UNIT
    if rotation is not None:
        error = Rotation.from_matrix(rotation @ turn.T).as_rotvec()
        action[3:6] = _limit(base.T @ error, ENVELOPE_ROTATION * speed) / ARM_ROTATION_UNIT
    return action


def move(
    session: Session,
    position: np.ndarray,
    rotation: np.ndarray | None = None,
    *,
    tolerance: float = 0.004,
    turn_tolerance: float = 0.05,
    speed: float = 1.0,
    required: float = REQUIRED,
    limit: int = 240,
) -> Motion[None]:
    """Moves the grip site to a world pose.

    Args:
        position: (3,), metres. rotation: (3, 3), or None to leave the orientation to itself.
        tolerance, turn_tolerance: when the waypoint counts as reached, m and rad; wide for points to pass through.
        required: how near it must come when it can come no nearer, m.

    Raises:
        SkillFailed(UNREACHABLE): it came no nearer and is still further away than `required`.
    """
    best, since = np.inf, 0
    for _ in range(limit):
        at, turn = gripper_frame(session.world)
        error = float(np.linalg.norm(position - at))
        angle = 0.0 if rotation is None else float(Rotation.from_matrix(rotation @ turn.T).magnitude())
        if error < tolerance and angle < turn_tolerance:
            return
        combined = error + 0.1 * angle
        best, since = (combined, 0) if combined < best - STALL_DISTANCE else (best, since + 1)
        if since > STALL_TICKS:
            break
        yield servo(session, position, rotation, speed)
    if error > required or angle > 0.2:
        raise SkillFailed(Reason.UNREACHABLE, f"stopped {1000 * error:.0f} mm and {angle:.2f} rad from the waypoint")


def set_gripper(session: Session, close: bool) -> Motion[None]:
    """Opens or closes the fingers and waits until they are still."""
    session.grip = 1.0 if close else -1.0
    before = gripper_gap(session.world)
    for tick in range(CLOSE_TICKS if close else OPEN_TICKS):
        yield still_action(session)
        now = gripper_gap(session.world)
        if tick > 3 and abs(now - before) < 2e-4:
            return
        before = now


def wait(session: Session, ticks: int) -> Motion[None]:
    """Does nothing for a while, for things to settle."""
    for _ in range(ticks):
        yield still_action(session)


def _limit(vector: np.ndarray, largest: float) -> np.ndarray:
    """Scales a vector so that no component exceeds `largest`; direction is kept."""
    return vector * min(1.0, largest / max(float(np.abs(vector).max()), 1e-12))
