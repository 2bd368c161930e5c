"""Opening and closing a hinged door by its bar.

The fingers pinch the upright bar from above and in front, and the arm carries it along its arc. The hand is nearly as
wide as the leaf, so it turns with it, though less far; and it tilts less as the bar comes nearer. Where the arm cannot
carry the bar further, the side of the hand pushes the leaf. The base stands still, so that a narrow aisle will do.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.transform import Rotation

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, gripper_gap, move, servo, set_gripper
from oracles.skills.fronts import fits, moving, opening, pitch_near, reach_at, stance_before, tilted
from oracles.skills.grasp import MIN_GAP
from oracles.skills.travel import sidestep, travel
from sim.openable import Bar, Front, Openable

WIDE = 1.35
"""How far a door is opened, rad; at least LEAST is accepted (tasks.md 5: 1.0, in the search family 0.65)."""
LEAST = 0.65
CLOSED = 0.02
"""A front counts as closed within this share of its travel (tasks.md 2.7)."""
BELOW_TOP = 0.025
"""The grip is this far below the top of the bar, m: lower, the hand's housing meets the bar."""
DEPTH = 0.007
"""The grip site goes this far past the bar, m: 4 mm short of it, it slips (simulation.md)."""
WIDEST = 1.52
"""How far one is pushed open that shuts by itself, rad,"""
SHUTTING = 0.002
"""which shows in its turning this fast, rad/s, when it has been let go."""
SHORT = 0.10
"""A leaf this much short of that, rad, is pushed further from within."""
PUSH_HEIGHT = 0.85
"""Where the hand pushes, m, but not below the leaf."""
PUSH_RADIUS = 0.75
"""How far from the hinge, in widths of the leaf."""
FURTHEST, FURTHEST_LOW, LOW = 1.45, 1.0, 0.70
"""A leaf opened wider than this, rad, is pushed before its bar is taken, the second where the grip is below LOW, m,"""
AWAY = 0.10
"""to about this angle, rad."""
PUSH_START, PUSH_END = 0.17, 0.11
"""How far the hand's middle is from the leaf before and in the end, m; the hand is 0.21 wide."""
APPROACH = 0.10
FOLLOW = 0.65
"""The hand turns by this share of the leaf's angle: the wrist turns no further, and the bar turns in the fingers."""
LEAD = 0.10
"""The hand aims this far ahead along the arc, rad."""
CARRY_TICKS = 260
STALL_TICKS = 14
STALL_ANGLE = 0.03
AJAR = 0.3
"""A leaf this far open, rad, stands in the way of the hand,"""
OVER = 0.12
"""which then passes this far above the leaf, m."""
PINCH_TRIES = 3
MISSED = 0.01
"""A hand further from its grasp than this, m, comes in again."""
LOST = 0.05
"""A hand this far off the bar, m, has lost it."""
SIDES = (0.0, 0.10, 0.20, -0.10)
"""Where the base may stand to the side of the bar, m, away from the hinge; the first that is free."""
ABOVE = 0.40
"""How high the hand goes to and fro before and after a push, base frame, m."""


def door_stance(session: Session, door: Openable, leaf: Front) -> tuple[float, float, float]:
    """Where the base frame stands to take a leaf by its bar, open or closed: x, y (m) and yaw (rad)."""
    bar = _bar(door, leaf)
    x, y, yaw = stance_before(door, np.array(bar.centre), reach_at(_grip_height(bar)))
    away = np.array(bar.centre[:2]) - np.array(leaf.hinge)
    away -= door.outward * (away @ door.outward)
    away /= np.linalg.norm(away)
    for side in SIDES:
        stance = (float(x + side * away[0]), float(y + side * away[1]), yaw)
        if fits(session.floor, stance):
            return stance
    raise SkillFailed(Reason.UNREACHABLE, f"there is no room to stand before {door.fixture}")


def open_door(session: Session, door: Openable, leaf: Front) -> Motion[None]:
    """Goes to a leaf, opens it to about 1.35 rad and lets go; the hand ends above it.

    One that is ajar is only pushed; one that shuts by itself is pushed as far as it goes.

    Raises:
        SkillFailed: UNREACHABLE (no bar, no way, out of reach), STALLED (the base got stuck), SLIPPED (the bar was
            lost).
    """
    yield from travel(session, door_stance(session, door, leaf))
    if opening(session.world, leaf) < LEAST:
        yield from _pinch(session, door, leaf)
        try:
            yield from _carry(session, door, leaf, LEAD, lambda angle: angle >= WIDE)
        except SkillFailed:
            if opening(session.world, leaf) < LEAST:
                raise
        yield from _let_go(session, leaf)
    wide = WIDEST if moving(session.world, leaf) < -SHUTTING else WIDE
    if opening(session.world, leaf) < wide - SHORT:
        yield from _push(session, door, leaf, wide, 1.0)
    if opening(session.world, leaf) < LEAST:
        raise SkillFailed(Reason.SLIPPED, f"the door opened {opening(session.world, leaf):.2f} rad")


def close_door(session: Session, door: Openable, leaf: Front) -> Motion[None]:
    """Takes an open leaf by its bar and carries it shut; the hand ends before it.

    Raises:
        SkillFailed: as `open_door`.
    """
    yield from sidestep(session, door_stance(session, door, leaf), over_leaf(leaf))
    if opening(session.world, leaf) > (FURTHEST_LOW if _grip_height(_bar(door, leaf)) < LOW else FURTHEST):
        yield from _push(session, door, leaf, AWAY, -1.0)
    yield from _pinch(session, door, leaf)
    yield from _carry(session, door, leaf, -LEAD, lambda angle: angle <= 0.005)
    yield from _let_go(session, leaf)
    if opening(session.world, leaf) > CLOSED * abs(leaf.travel):
        raise SkillFailed(Reason.SLIPPED, f"the door is still {opening(session.world, leaf):.2f} rad open")


def over_leaf(leaf: Front) -> float:
    """World height of the grip site, m, at which the hand passes over an open leaf."""
    return leaf.box.top + OVER


def _bar(door: Openable, leaf: Front) -> Bar:
    if leaf.bar is None or leaf.hinge is None:
        raise SkillFailed(Reason.UNREACHABLE, f"{door.fixture} has no bar to pull")
    return leaf.bar


def _grip_height(bar: Bar) -> float:
    return bar.centre[2] + bar.half_length - BELOW_TOP


def _grasp(session: Session, door: Openable, leaf: Front, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """Pose of the grip site, world (3,) and (3, 3), on the bar of a leaf that is open by an angle."""
    bar = _bar(door, leaf)
    swing = Rotation.from_rotvec([0, 0, np.sign(leaf.travel) * angle]).as_matrix()
    hinge = np.array([*leaf.hinge, 0.0])
    at = hinge + swing @ (np.array([*bar.centre[:2], _grip_height(bar)]) - hinge)
    position, _ = base_frame(session.world)
    pitch = pitch_near(_grip_height(bar), float((position - at)[:2] @ door.outward))
    follow = Rotation.from_rotvec([0, 0, FOLLOW * np.sign(leaf.travel) * angle]).as_matrix()
    turn = follow @ tilted(-door.outward, pitch)
    return at + DEPTH * turn[:, 2], turn


def _pinch(session: Session, door: Openable, leaf: Front) -> Motion[None]:
    site, turn = _grasp(session, door, leaf, opening(session.world, leaf))
    if session.grip > 0:
        yield from set_gripper(session, close=False)
    before = site - APPROACH * turn[:, 2]
    if opening(session.world, leaf) > AJAR:
        over = np.array([before[0], before[1], max(before[2], over_leaf(leaf))])
        yield from move(session, over, turn, tolerance=0.03, turn_tolerance=0.15, required=0.10)
    for _ in range(PINCH_TRIES):
        # An arm that passes by may move the leaf.
        site, turn = _grasp(session, door, leaf, opening(session.world, leaf))
        yield from move(session, site - APPROACH * turn[:, 2], turn, tolerance=0.008, turn_tolerance=0.06)
        site, turn = _grasp(session, door, leaf, opening(session.world, leaf))
        yield from move(session, site, turn, tolerance=0.003, speed=0.7, required=0.03)
        at, _ = gripper_frame(session.world)
        short = float(np.linalg.norm(at - _grasp(session, door, leaf, opening(session.world, leaf))[0]))
        if short < MISSED:
            break
    else:
        raise SkillFailed(Reason.UNREACHABLE, f"the hand is {1000 * short:.0f} mm from the bar")
    yield from set_gripper(session, close=True)
    if gripper_gap(session.world) < MIN_GAP:
        raise SkillFailed(Reason.SLIPPED, "the fingers closed beside the bar")


def _carry(session: Session, door: Openable, leaf: Front, lead: float, done: Callable[[float], bool]) -> Motion[None]:
    """Carries the bar along its arc until `done` or it goes no further."""
    track = []
    for _ in range(CARRY_TICKS):
        angle = opening(session.world, leaf)
        track.append(angle)
        if done(angle):
            return
        if len(track) > STALL_TICKS and abs(angle - track[-1 - STALL_TICKS]) < STALL_ANGLE:
            return
        at, _ = gripper_frame(session.world)
        if gripper_gap(session.world) < MIN_GAP or np.linalg.norm(at - _grasp(session, door, leaf, angle)[0]) > LOST:
            raise SkillFailed(Reason.SLIPPED, f"the bar was lost at {angle:.2f} rad")
        yield servo(session, *_grasp(session, door, leaf, angle + lead), 0.8)


def _push(session: Session, door: Openable, leaf: Front, angle: float, side: float) -> Motion[None]:
    """Pushes a leaf that is open towards an angle with the side of the hand: from within (side 1) or without (-1)."""
    height = max(PUSH_HEIGHT, leaf.box.bottom + 0.10)
    hinge = np.array([*leaf.hinge, height])
    across = np.array([*leaf.box.centre[:2], height]) - hinge
    across -= np.array([*door.outward, 0.0]) * (across[:2] @ door.outward)
    within = np.array([*-door.outward, 0.0])
    position, _ = base_frame(session.world)

    def beside(angle: float, distance: float) -> tuple[np.ndarray, np.ndarray]:
        swing = Rotation.from_rotvec([0, 0, np.sign(leaf.travel) * angle]).as_matrix()
        at = hinge + swing @ (2 * PUSH_RADIUS * across + side * distance * within)
        return at, tilted(-door.outward, pitch_near(height, float((position - at)[:2] @ door.outward)))

    start, turn = beside(opening(session.world, leaf), PUSH_START)
    above = np.array([*start[:2], max(position[2] + ABOVE, over_leaf(leaf))])
    if side < 0:
        at, _ = gripper_frame(session.world)
        yield from move(session, np.array([*at[:2], above[2]]), turn, tolerance=0.03, turn_tolerance=0.3, required=0.10)
    yield from move(session, above, turn, tolerance=0.03, turn_tolerance=0.2, required=0.10)
    yield from move(session, start, turn, tolerance=0.015, turn_tolerance=0.1, required=0.06)
    yield from move(session, *beside(angle, PUSH_END), tolerance=0.015, turn_tolerance=0.1, required=0.20)
    start, turn = beside(opening(session.world, leaf), PUSH_START)
    yield from move(session, start, turn, tolerance=0.02, required=0.10)
    yield from move(session, np.array([*start[:2], above[2]]), turn, tolerance=0.04, required=0.10)


def _let_go(session: Session, leaf: Front) -> Motion[None]:
    """Opens the fingers and takes the hand out, up and over the leaf."""
    yield from set_gripper(session, close=False)
    at, turn = gripper_frame(session.world)
    yield from move(session, at - APPROACH * turn[:, 2], turn, tolerance=0.015, required=0.04)
    if opening(session.world, leaf) > AJAR:
        at, turn = gripper_frame(session.world)
        over = np.array([at[0], at[1], max(at[2], over_leaf(leaf))])
        yield from move(session, over, turn, tolerance=0.03, required=0.10)
