"""Lifting a cloche off what it hides, and setting it down beside."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down, wait
from oracles.skills.drive import drive
from oracles.skills.grasp import grasp, lift
from oracles.skills.place import place
from oracles.skills.reach import step_to
from oracles.skills.stand import set_down_site
from oracles.skills.travel import pose_now
from tasks.props.extent import lowest, tilt

LIFT = 0.20
"""How far a cover is raised, m (tasks.md 8.1), over anything that it hides or passes."""
LIFTED = 0.08
"""It has come up at least this far, m (tasks.md 5: "lift check")."""
APPROACH = 0.10
SLACK = 0.10
"""A cover further to the side than this is stepped to, m."""
SETTLE_TICKS = 10
LEVEL = np.deg2rad(5)
AIM = 0.03
"""It must stand this near to its spot, m."""


def lift_cover(session: Session, name: str, *, jitter: float = 0.0) -> Motion[None]:
    """Steps before a cover, pinches its knob and raises it; the hand holds it in the end.

    Args:
        name: body of the cover, see `add_cloche`.
        jitter: standard deviation of a shift of the grip site up or down, m, for tries after the first.

    Raises:
        SkillFailed(UNREACHABLE | SLIPPED | STALLED).
    """
    world = session.world
    body = world.model.body(name).id
    yield from step_to(session, _knob(session, name), slack=SLACK, height=_knob(session, name)[2] + APPROACH)
    _, base = base_frame(world)
    site = _knob(session, name) + [0, 0, jitter * session.rng.normal()]
    yield from grasp(session, site, hand_down(world, base[:2, 1]), approach=APPROACH)
    before = lowest(world.model, world.data, body)
    yield from lift(session, LIFT)
    if lowest(world.model, world.data, body) < before + LIFTED:
        raise SkillFailed(Reason.SLIPPED, "the fingers slipped off the knob")


def set_cover_down(session: Session, name: str, point: np.ndarray) -> Motion[None]:
    """Carries the cover that the hand holds to a free spot and sets it down.

    Args:
        point: world point (3,) of the surface for the middle of its rim, m.

    Raises:
        SkillFailed(DROPPED): it fell on the way or does not stand there. SkillFailed(UNREACHABLE | STALLED).
    """
    world = session.world
    body = world.model.body(name).id
    at, _ = gripper_frame(world)
    site, below = set_down_site(session, body, point)
    yield from place(session, site, below, carry_height=float(at[2]))
    yield from wait(session, SETTLE_TICKS)
    error = float(np.linalg.norm(world.data.xpos[body] - point))
    if tilt(world.data, body) > LEVEL or error > AIM:
        raise SkillFailed(Reason.DROPPED, f"the cover ended {1000 * error:.0f} mm from its spot, or not level")


def uncover(session: Session, name: str, spot: np.ndarray, *, jitter: float = 0.0) -> Motion[None]:
    """Lifts a cover, sets it down at a free spot (3,), and comes back before the place that it hid.

    Raises:
        SkillFailed: as `lift_cover` and `set_cover_down`.
    """
    yield from lift_cover(session, name, jitter=jitter)
    yield from set_aside(session, name, spot)


def set_aside(session: Session, name: str, spot: np.ndarray) -> Motion[None]:
    """Sets the cover that the hand holds down at a free spot (3,), and comes back before the place that it hid.

    Raises:
        SkillFailed: as `set_cover_down`.
    """
    stance = pose_now(session)
    yield from set_cover_down(session, name, spot)
    yield from drive(session, stance)


def _knob(session: Session, name: str) -> np.ndarray:
    world = session.world
    return world.data.site_xpos[world.model.site(f"{name}_knob").id].copy()
