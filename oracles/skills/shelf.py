"""Looking into a cabinet through its open door, and taking a thing off the shelf.

The hand goes in tilted forward by one angle for all shelves: steeper, its wrist would meet the work top above; flatter,
the arm does not get down there. What it holds is drawn out by backing the base off, because the arm cannot bring a
hand so tilted any nearer; higher up it can, and there the thing is carried, upright.
"""

from __future__ import annotations

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, gripper_gap, move, set_gripper, wait
from oracles.skills.door import over_leaf
from oracles.skills.drive import drive
from oracles.skills.fronts import opening, stance_before, tilted
from oracles.skills.glide import glide, straight
from oracles.skills.grasp import MIN_GAP
from oracles.skills.pick import grip_point
from oracles.skills.travel import apart, sidestep, travel
from sim.compartment import shelf_spots
from sim.openable import Front, Openable
from tasks.props.extent import lowest
from tasks.props.pool import PoolObject

PITCH = 0.95
"""Tilt of the hand, rad; 0 points down, pi / 2 forward."""
AHEAD = 0.86
"""How far before the thing the base frame stands, m; best for that tilt at all heights of shelves."""
DRAW = 0.19
"""How far back the base stands to look in, and to which it draws the thing out, m: past the edge of the work top."""
LOOK = 0.14
"""The grip site so far above the shelf, and DRAW before the spot, while looking at it, m."""
GAZE_TICKS = 10
BEFORE = (0.09, 0.03)
"""The grip site before and above its grasp while the base drives in, m."""
BEFORE_PITCH = 0.75
"""The tilt there, rad: the nearer, the less."""
PALM_ROOM = 0.019
"""The near side of a thing is at most so far before the grip site, m, or the palm touches its rim; but the site is"""
NEARER = 0.010
"""at most so far before the middle, m."""
LIFT = 0.02
"""How far the thing is raised before it is drawn out, m."""
LIFTED = 0.010
"""It must have come up at least this far, m."""
RISE = 0.30
"""How high the hand rises before it is drawn in, base frame, m: lower, the arm cannot bring it nearer."""
HAND_HALF = 0.135
"""Half the width that the hand needs to get past the edge of the leaf, m; at 0.123 it drags the leaf along."""
HERE = 0.03
"""A stance so near, m, is stood at."""
CARRY = (0.33, 0.0, 0.62)
"""Where the hand carries it, base frame, m."""


def shelf_stance(door: Openable, point: np.ndarray, back: float = 0.0) -> tuple[float, float, float]:
    """Where the base frame stands to take a thing at a world point (3,) behind a door: x, y (m) and yaw (rad).

    Args:
        back: further back by that, m.
    """
    return stance_before(door, point, AHEAD + back)


def look_in(session: Session, door: Openable, leaf: Front) -> Motion[None]:
    """Goes before an open leaf and holds the wrist camera before each spot behind it.

    What was seen is decided by the caller through `session.eyes`, at the end of the gaze.

    Raises:
        SkillFailed(UNREACHABLE | STALLED).
    """
    spots = [np.array(s.point) for s in shelf_spots(door) if door.fronts[s.leaf] == leaf]
    if not spots:
        raise SkillFailed(Reason.UNREACHABLE, f"no shelf of {door.fixture} can be looked at")
    for spot in spots:
        yield from sidestep(session, shelf_stance(door, spot, DRAW), over_leaf(leaf))
        eye = spot + [*(DRAW * door.outward), LOOK]
        above, turn = np.array([*eye[:2], over_leaf(leaf)]), tilted(-door.outward, PITCH)
        yield from move(session, above, turn, tolerance=0.05, turn_tolerance=0.5, required=0.10)
        yield from move(session, eye, turn, tolerance=0.02, turn_tolerance=0.08, required=0.05)
        yield from wait(session, GAZE_TICKS)


def take_from_shelf(
    session: Session, thing: PoolObject, door: Openable, leaf: Front, *, jitter: float = 0.0
) -> Motion[None]:
    """Pinches a thing that stands behind an open leaf, draws it out and holds it up before the robot.

    Args:
        jitter: standard deviation of a shift of the grip site up or down, m, for tries after the first.

    Raises:
        SkillFailed(UNREACHABLE | STALLED | SLIPPED | DROPPED).
    """
    world = session.world
    body = world.model.body(thing.name).id
    turn = tilted(-door.outward, PITCH)
    out = np.array([*door.outward, 0.0])
    nearer = min(max(sum(thing.figures.size[:2]) / 4 - PALM_ROOM, 0.0), NEARER)
    site = grip_point(session, thing) + nearer * out + [0, 0, jitter * session.rng.normal()]
    before = site + BEFORE[0] * out + [0, 0, BEFORE[1]]
    leaning = tilted(-door.outward, BEFORE_PITCH)
    if session.grip > 0:
        yield from set_gripper(session, close=False)
    stance = shelf_stance(door, site, DRAW)
    if apart(session, stance)[0] > HERE:
        yield from travel(session, stance)
    yield from move(session, before + DRAW * out, leaning, tolerance=0.015, turn_tolerance=0.1, required=0.04)
    yield from drive(session, shelf_stance(door, site))
    yield from move(session, before, leaning, tolerance=0.006, turn_tolerance=0.08)
    yield from move(session, site, turn, tolerance=0.004)
    yield from set_gripper(session, close=True)
    start = lowest(world.model, world.data, body)
    yield from move(session, site + LIFT * (out + [0, 0, 1]), turn, tolerance=0.006, required=0.015)
    if gripper_gap(world) < MIN_GAP or lowest(world.model, world.data, body) < start + LIFTED:
        raise SkillFailed(Reason.SLIPPED, f"the {thing.figures.noun} stayed on the shelf")
    yield from glide(session, straight(DRAW * door.outward))
    yield from raise_up(session)
    if gripper_gap(world) < MIN_GAP:
        raise SkillFailed(Reason.DROPPED, f"the {thing.figures.noun} fell on the way out")


def hand_fits(session: Session, door: Openable, leaf: Front, point: np.ndarray) -> bool:
    """Whether a leaf stands open wide enough for the hand to get past its edge to a world point behind it."""
    edge = np.array(leaf.box.centre[:2]) - np.array(leaf.hinge)
    edge = 2 * (edge - door.outward * (edge @ door.outward))
    width = float(np.linalg.norm(edge))
    aside = float((point[:2] - np.array(leaf.hinge)) @ edge) / width
    return aside - width * np.cos(opening(session.world, leaf)) >= HAND_HALF


def raise_up(session: Session) -> Motion[None]:
    """Brings the hand up and near, where it carries what it holds; its tilt stays as it is."""
    position, base = base_frame(session.world)
    at, turn = gripper_frame(session.world)
    high = np.array([*at[:2], max(at[2], position[2] + RISE)])
    yield from move(session, high, turn, tolerance=0.02, required=0.04)
    yield from move(session, position + base @ np.array(CARRY), turn, tolerance=0.015, required=0.04)
