"""Pressing the SUBMIT button with the closed hand."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, hand_down, move, servo, set_gripper
from tasks.props.submit import CAP_TOP_Z

HOVER = 0.12
CONTACT = 0.030
PUSH_TICKS = 80


def press_submit(session: Session) -> Motion[None]:
    """Closes the hand over the button and pushes down; the runner ends the episode at the press.

    Raises:
        SkillFailed(STALLED): the button did not go down.
    """
    model, data = session.world.model, session.world.data
    button = data.xpos[model.body("submit").id].copy()
    top = button + [0, 0, CAP_TOP_Z]
    _, base = base_frame(session.world)
    rotation = hand_down(session.world, base[:2, 1])
    at, _ = gripper_frame(session.world)
    if at[2] < top[2] + HOVER:
        yield from move(session, np.array([*at[:2], top[2] + HOVER]), rotation, tolerance=0.02, required=0.05)
    yield from move(session, top + [0, 0, HOVER], rotation, tolerance=0.015)
    yield from set_gripper(session, close=True)
    yield from move(session, top + [0, 0, CONTACT], rotation, tolerance=0.006)
    for _ in range(PUSH_TICKS):
        yield servo(session, top - [0, 0, 0.03], rotation, speed=0.6)
    raise SkillFailed(Reason.STALLED, "the SUBMIT button did not go down")
