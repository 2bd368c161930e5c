"""Taking a pool object from above by its anchor."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, hand_down
from oracles.skills.grasp import grasp, lift
from oracles.skills.reach import step_to
from sim.lattice import Pose
from tasks.props.extent import lowest
from tasks.props.pool import PoolObject

APPROACH = 0.12
LIFT = 0.12
LIFTED = 0.08
"""What is held has come up at least this far, m (tasks.md 5: "lift check")."""
COUNTER_AHEAD = 0.46
"""How far ahead of the base frame a thing on a counter is taken, m (tasks.md 5: .47): the base keeps 0.22 m or more
off the edge.
"""
SLACK = 0.10
"""A thing further to the side than this is stepped to, m: the hand stays square to the base."""


def counter_stance(point: np.ndarray, outward: np.ndarray) -> Pose:
    """Where the base frame stands to take something off a counter: straight before it, facing the counter.

    Args:
        point: world point, m; 0.12 to 0.24 inside the edge of the counter (tasks.md 8.1).
        outward: unit world direction (2,) from the counter to the robot.
    """
    x, y = np.asarray(point)[:2] + COUNTER_AHEAD * np.asarray(outward)
    return float(x), float(y), float(np.arctan2(-outward[1], -outward[0]))


def pick(session: Session, thing: PoolObject, *, height: float, jitter: float = 0.0) -> Motion[None]:
    """Steps before an object, pinches it at its anchor and lifts it.

    Args:
        height: least world height of the grip site while stepping sideways, m.
        jitter: standard deviation of a shift of the grip site up or down, m, for tries after the first.

    Raises:
        SkillFailed(UNREACHABLE | SLIPPED | STALLED).
    """
    world = session.world
    body = world.model.body(thing.name).id
    yield from step_to(session, grip_point(session, thing), slack=SLACK, height=height)
    site = grip_point(session, thing) + [0, 0, jitter * session.rng.normal()]
    yield from grasp(session, site, grip_turn(session, thing), approach=APPROACH)
    before = lowest(world.model, world.data, body)
    yield from lift(session, LIFT)
    if lowest(world.model, world.data, body) < before + LIFTED:
        raise SkillFailed(Reason.SLIPPED, f"the {thing.figures.noun} stayed behind")


def grip_point(session: Session, thing: PoolObject) -> np.ndarray:
    """World point (3,) where the grip site goes."""
    world = session.world
    return world.data.site_xpos[world.model.site(f"{thing.name}_grasp").id].copy()


def grip_turn(session: Session, thing: PoolObject) -> np.ndarray:
    """Rotation (3, 3) of the hand: square to the base where the thing is round, else across its x axis."""
    world = session.world
    _, base = base_frame(world)
    if thing.figures.round:
        return hand_down(world, base[:2, 1])
    return hand_down(world, world.data.xmat[world.model.body(thing.name).id].reshape(3, 3)[:2, 0])
