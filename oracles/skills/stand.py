"""Standing up what the hand holds.

A thing taken off a shelf is held with the hand tilted to it. To stand it up the hand tilts as it did then, and a
tilted hand reaches down to a work top only further away from the base: the base backs off.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, gripper_gap, hand_down, wait
from oracles.skills.drive import drive
from oracles.skills.grasp import MIN_GAP
from oracles.skills.place import place
from oracles.skills.travel import pose_now, tuck
from tasks.props.extent import lowest, tilt
from tasks.props.pool import PoolObject

SETTLE_TICKS = 15
UPRIGHT = np.deg2rad(15)
"""tasks.md 2.5."""
AIM = 0.04
"""A thing set down must stand this near to the wanted spot, m."""
TILTED = 0.35
"""A hand tilted more than this, rad, needs the base further off."""
AHEAD, AHEAD_PER_PITCH = 0.66, 0.21
"""Where the hand reaches a work top best: m ahead of the base frame, and further for each rad of tilt (inverse
kinematics at grip heights of 0.9 to 1.1 m).
"""


def stand(session: Session, thing: PoolObject, point: np.ndarray, *, carry_height: float) -> Motion[None]:
    """Carries the object that the hand holds and stands it on a spot of the work top that the base faces.

    With a tilted hand the base backs off first, and comes back in the end.

    Args:
        point: world point (3,) for the middle of its underside, m.
        carry_height: world height of the grip site on the way, m.

    Raises:
        SkillFailed(DROPPED): it fell on the way, or does not stand there in the end.
        SkillFailed(UNREACHABLE | STALLED).
    """
    world = session.world
    body = world.model.body(thing.name).id
    if gripper_gap(world) < MIN_GAP:
        raise SkillFailed(Reason.DROPPED, f"the {thing.figures.noun} fell on the way")
    here, (_, base) = pose_now(session), base_frame(world)
    tilted = _pitch(upright_turn(session, body)) > TILTED
    if tilted:
        yield from drive(session, stand_stance(session, body, point, -base[:2, 0]))
    _, base = base_frame(world)
    turn = upright_turn(session, body)
    held = turn @ _held(session, body)
    site = point - [*held[:2], 0.0]
    yield from place(session, site, float(-held[2]), carry_height=carry_height, base_R_hand=base.T @ turn)
    yield from wait(session, SETTLE_TICKS)
    error = float(np.linalg.norm(world.data.xpos[body] - point))
    if tilt(world.data, body) > UPRIGHT or error > AIM:
        lean = np.rad2deg(tilt(world.data, body))
        detail = f"the {thing.figures.noun} ended {1000 * error:.0f} mm from its spot, leaning {lean:.0f} degrees"
        raise SkillFailed(Reason.DROPPED, detail)
    if tilted:
        yield from tuck(session)
        yield from drive(session, here)


def stand_stance(session: Session, body: int, point: np.ndarray, outward: np.ndarray) -> tuple[float, float, float]:
    """Where the base frame stands to set a held body down: x, y (m) and yaw (rad).

    Args:
        point: world point (3,) for the body's origin. outward: world direction (2,) from the work top to the robot.
    """
    _, base = base_frame(session.world)
    yaw = float(np.arctan2(-outward[1], -outward[0]))
    swing = Rotation.from_euler("z", yaw - np.arctan2(base[1, 0], base[0, 0])).as_matrix()
    turn = swing @ upright_turn(session, body)
    site = point - turn @ _held(session, body)
    x, y = site[:2] + outward * (AHEAD + AHEAD_PER_PITCH * _pitch(turn))
    return float(x), float(y), yaw


def upright_turn(session: Session, body: int) -> np.ndarray:
    """World rotation (3, 3) of the hand with which a held body is upright and the fingers open across the base."""
    _, base = base_frame(session.world)
    _, turn = gripper_frame(session.world)
    up = session.world.data.xmat[body].reshape(3, 3)[:, 2]
    axis = np.cross(up, [0, 0, 1.0])
    sine = float(np.linalg.norm(axis))
    righted = Rotation.from_rotvec(axis / max(sine, 1e-9) * np.arctan2(sine, up[2])).as_matrix() @ turn
    fingers = base.T @ righted[:, 0]
    angle = float(np.arctan2(-fingers[0], fingers[1]))
    # Of the two equal ways to turn square to the base, the shorter.
    angle = (angle + np.pi / 2) % np.pi - np.pi / 2
    return Rotation.from_euler("z", -angle).as_matrix() @ righted


def _pitch(turn: np.ndarray) -> float:
    """How far a hand is tilted from pointing down, rad."""
    return float(np.arccos(np.clip(-turn[2, 2], -1.0, 1.0)))


def _held(session: Session, body: int) -> np.ndarray:
    """Origin of a held body in the hand's frame, (3,) m."""
    at, turn = gripper_frame(session.world)
    return turn.T @ (session.world.data.xpos[body] - at)


def set_down_site(session: Session, body: int, point: np.ndarray) -> tuple[np.ndarray, float]:
    """Where to `place` so that a held body's origin comes to a point, wherever in it the hand has hold.

    Returns:
        The point (3,) of the surface under the grip site, and how far below the grip site the body ends, m.
    """
    world = session.world
    at, turn = gripper_frame(world)
    held = turn.T @ (world.data.xpos[body] - at)
    # `place` turns the hand square to the base, and the thing with it.
    _, base = base_frame(world)
    offset = hand_down(world, base[:2, 1]) @ held
    return point - [*offset[:2], 0.0], float(at[2] - lowest(world.model, world.data, body))
