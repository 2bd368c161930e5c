"""Standing up what the hand holds."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down, wait
from oracles.skills.place import place
from tasks.props.extent import lowest, tilt
from tasks.props.pool import PoolObject

SETTLE_TICKS = 15
UPRIGHT = np.deg2rad(15)
"""tasks.md 2.5."""
AIM = 0.04
"""A thing set down must stand this near to the wanted spot, m."""


def stand(session: Session, thing: PoolObject, point: np.ndarray, *, carry_height: float) -> Motion[None]:
    """Carries the object that the hand holds and stands it on a spot.

    Args:
        point: world point (3,) for the middle of its underside, m.
        carry_height: world height of the grip site on the way, m.

    Raises:
        SkillFailed(DROPPED): it fell on the way, or does not stand there in the end.
        SkillFailed(UNREACHABLE | STALLED).
    """
    world = session.world
    body = world.model.body(thing.name).id
    site, below = set_down_site(session, body, point)
    yield from place(session, site, below, carry_height=carry_height)
    yield from wait(session, SETTLE_TICKS)
    error = float(np.linalg.norm(world.data.xpos[body] - point))
    if tilt(world.data, body) > UPRIGHT or error > AIM:
        lean = np.rad2deg(tilt(world.data, body))
        detail = f"the {thing.figures.noun} ended {1000 * error:.0f} mm from its spot, leaning {lean:.0f} degrees"
        raise SkillFailed(Reason.DROPPED, detail)


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
