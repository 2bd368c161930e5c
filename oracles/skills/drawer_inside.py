"""Looking into an open drawer, and taking a thing out of it from above."""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, gripper_gap, hand_down, move, wait
from oracles.skills.drive import drive
from oracles.skills.fronts import bar_now, stance_before
from oracles.skills.grasp import MIN_GAP, grasp
from oracles.skills.look import GAZE_TICKS
from oracles.skills.pick import LIFTED, grip_point, grip_turn
from oracles.skills.travel import tuck
from sim.openable import Openable
from tasks.props.extent import lowest
from tasks.props.pool import PoolObject

GAZE_BEHIND = 0.20
"""The wrist camera looks from straight above a point this far behind the open front, m."""
CAMERA_AHEAD = 0.05
"""The wrist camera is this far ahead of the grip site of a hand that points down, m."""
GAZE_HEIGHT = 0.16
"""Height of the grip site over the front's upper edge while looking, m."""
REACH = (0.52, 0.70)
"""A thing so far ahead of the base frame, m, is within easy reach of a hand that points down."""
BEST_REACH = 0.62
SLACK = 0.06
"""A thing further to the side than this is stepped to, m."""
OVER = 0.03
"""Air between the fingertips, or what they hold, and the upper edge of the front, m."""
FINGERTIPS = 0.012
"""The fingers end this far below the grip site, m."""


def look_into_drawer(session: Session, drawer: Openable, gaze: int = GAZE_TICKS) -> Motion[None]:
    """Holds the wrist camera over the open drawer before which the robot stands, see `open_drawer`.

    What was seen is decided by the caller through `session.eyes`, at the end of the gaze.

    Raises:
        SkillFailed(UNREACHABLE).
    """
    world = session.world
    middle = bar_now(world, drawer.fronts[0].bar)[:2] - drawer.outward * (GAZE_BEHIND - CAMERA_AHEAD)
    _, base = base_frame(world)
    site = np.array([*(middle + 2 * CAMERA_AHEAD * drawer.outward), drawer.fronts[0].box.top + GAZE_HEIGHT])
    turn = hand_down(world, base[:2, 1])
    yield from move(session, site, turn, tolerance=0.02, turn_tolerance=0.08, required=0.06)
    yield from wait(session, gaze)


def take_from_drawer(session: Session, thing: PoolObject, drawer: Openable, *, jitter: float = 0.0) -> Motion[None]:
    """Takes a thing out of the open drawer before which the robot stands, and holds it ready for driving.

    Args:
        jitter: standard deviation of a shift of the grip site up or down, m, for tries after the first.

    Raises:
        SkillFailed(UNREACHABLE | SLIPPED | DROPPED | STALLED).
    """
    world = session.world
    body = world.model.body(thing.name).id
    over = drawer.fronts[0].box.top + OVER
    yield from _clear(session, over + FINGERTIPS)
    yield from _stand_before(session, drawer, grip_point(session, thing))
    site = grip_point(session, thing) + [0, 0, jitter * session.rng.normal()]
    yield from grasp(session, site, grip_turn(session, thing), approach=over + FINGERTIPS - float(site[2]))
    before = lowest(world.model, world.data, body)
    at, turn = gripper_frame(world)
    yield from move(session, at + [0, 0, over - before], turn, tolerance=0.012, required=0.03)
    if lowest(world.model, world.data, body) < before + LIFTED:
        raise SkillFailed(Reason.SLIPPED, f"the {thing.figures.noun} stayed in the drawer")
    yield from tuck(session)
    if gripper_gap(world) < MIN_GAP:
        raise SkillFailed(Reason.DROPPED, f"the {thing.figures.noun} fell on the way out of the drawer")


def _clear(session: Session, height: float) -> Motion[None]:
    """Raises the hand to a world height, m, if it is lower."""
    at, turn = gripper_frame(session.world)
    if at[2] < height:
        yield from move(session, np.array([at[0], at[1], height]), turn, tolerance=0.01, required=0.03)


def _stand_before(session: Session, drawer: Openable, point: np.ndarray) -> Motion[None]:
    """Drives so that a point in the drawer is straight ahead within easy reach, if it is not."""
    position, base = base_frame(session.world)
    ahead, aside = base[:2, :2].T @ (point - position)[:2]
    if REACH[0] <= ahead <= REACH[1] and abs(aside) <= SLACK:
        return
    yield from drive(session, stance_before(drawer, point, BEST_REACH))
