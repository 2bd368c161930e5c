"""Driving the base over short, straight ways, e.g. sideways along a counter.

The base is commanded in velocity. Its slide joints live in the frame the robot spawned in and each has a friction dead
band, so the command adds the dead band per joint; otherwise the base veers off once it has turned (simulation.md).
"""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, still_action
from sim.lattice import PIVOT
from sim.robot import BASE, BASE_MODE, ENVELOPE_BASE
from sim.world import World

DEAD_BAND = 0.25
YAW_DEAD_BAND = 0.17
YAW_UNIT = 1.5
TOLERANCE = 0.008
YAW_TOLERANCE = 0.02
SLOWEST, FASTEST = 0.02, 0.25
"""m/s; the envelope allows no more along one of the slide joints."""
GAIN, PASSING_GAIN = 2.5, 8.0
"""Speed for each metre that is left, 1/s, where the base stops and where it only passes."""
SETTLE_TICKS = 4
STALL_TICKS = 25
STALL_DISTANCE = 0.004


def base_yaw(world: World) -> float:
    """Heading of the base in the world, rad."""
    _, rotation = base_frame(world)
    return float(np.arctan2(rotation[1, 0], rotation[0, 0]))


def drive(
    session: Session,
    target: tuple[float, float, float],
    *,
    tolerance: float = TOLERANCE,
    turn_tolerance: float = YAW_TOLERANCE,
    settle: int = SETTLE_TICKS,
) -> Motion[None]:
    """Drives straight to a pose of the base frame: world x, y (m) and yaw (rad). The arm rides along.

    Args:
        tolerance, turn_tolerance: when it counts as reached, m and rad; wide for poses to pass.
        settle: ticks to come to rest at the end.

    Raises:
        SkillFailed(STALLED): the base comes no nearer.
    """
    heading = np.array([np.cos(target[2]), np.sin(target[2])])
    goal = np.array(target[:2]) - PIVOT * heading
    best, since = np.inf, 0
    while since <= STALL_TICKS:
        position, rotation = base_frame(session.world)
        yaw = base_yaw(session.world)
        error = goal - (position[:2] - PIVOT * rotation[:2, 0])
        turn = (target[2] - yaw + np.pi) % (2 * np.pi) - np.pi
        distance = float(np.linalg.norm(error))
        if distance < tolerance and abs(turn) < turn_tolerance:
            for _ in range(settle):
                yield _command(session, np.zeros(2), 0.0, yaw)
            return
        left = distance + 0.3 * abs(turn)
        best, since = (left, 0) if left < best - STALL_DISTANCE else (best, since + 1)
        pace = min(max((GAIN if settle else PASSING_GAIN) * distance, SLOWEST), FASTEST)
        velocity = error / distance * pace if distance >= TOLERANCE else np.zeros(2)
        spin = float(np.clip(2.5 * turn, -0.5, 0.5)) if abs(turn) >= YAW_TOLERANCE else 0.0
        yield _command(session, velocity, spin, yaw)
    raise SkillFailed(Reason.STALLED, f"the base stopped {1000 * distance:.0f} mm and {turn:.2f} rad from its stance")


def _command(session: Session, velocity: np.ndarray, spin: float, yaw: float) -> np.ndarray:
    """The action for a wanted world velocity (2,) m/s and yaw rate rad/s, with the dead band undone."""
    world = session.world
    w, _, _, z = world.model.body("robot0_base").quat
    spawn = 2 * np.arctan2(z, w)
    joint = _turn(-spawn) @ velocity
    joint = joint + DEAD_BAND * np.sign(joint) * (np.abs(joint) > 1e-3)
    action = still_action(session)
    action[BASE_MODE] = 1.0
    body = _turn(spawn - yaw) @ joint
    yaw_command = (spin + YAW_DEAD_BAND * np.sign(spin)) / YAW_UNIT
    command = np.array([body[0], body[1], yaw_command])
    action[BASE] = command * min(1.0, ENVELOPE_BASE / max(float(np.abs(command).max()), 1e-12))
    return action


def _turn(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
