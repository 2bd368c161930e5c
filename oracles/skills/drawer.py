"""Opening and closing a drawer by its bar.

The closed fingers go in behind the bar from above and the base drives: back to pull, forth to push. Where there is
no room behind the base, the arm pulls the rest. A pinch from the front is out of reach (see oracles.skills.fronts),
and fingers straddling the bar from above would need a hand that goes through the front.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame, move, servo, set_gripper
from oracles.skills.drive import PIVOT, drive
from oracles.skills.fronts import (
    FINGER_HALF,
    bar_now,
    moving,
    opening,
    pitch_near,
    reach_at,
    stance_before,
    tilted,
)
from oracles.skills.glide import glide, straight
from oracles.skills.travel import sidestep, travel
from sim.openable import Bar, Openable

PULL = 0.40
"""How far a drawer is pulled, m; at least LEAST is accepted (tasks.md 5)."""
LEAST = 0.34
CLOSED = 0.02
"""A front counts as closed within this share of its travel (tasks.md 2.7)."""
CLEARANCE = 0.005
DEPTH = 0.006
"""The grip site goes this far past the bar; the fingertips another 9 mm."""
APPROACH = 0.10
ARRIVAL = 2.0
"""How long the fingers take over APPROACH, s: a drawer that shuts by itself has moved on by then."""
RISE = 0.14
"""Height of the hand over the drawer's top when it is done, m."""
LOOK = 0.62
"""How far ahead of the base frame the middle of the open drawer is in the end, m."""
MIN_GAP = 0.025
"""Room that the fingers need behind the bar, m."""
REAR = 0.34
"""The base ends this far behind the point that it turns about, m."""
REAR_EDGE = (-0.26, -0.13, 0.0, 0.13, 0.26)
"""Points along the rear edge of the base, m."""
AIR = 0.05
ROOM_STEP = 0.025
LEAST_DRIVE = 0.05
ARM_TICKS = 160
LEAD = 0.03
STALL_TICKS = 12
STALL_DISTANCE = 0.006


def drawer_stance(drawer: Openable, bar_point: np.ndarray) -> tuple[float, float, float]:
    """Where the base frame stands to hook a bar that is at a world point (3,): x, y (m) and yaw (rad)."""
    return stance_before(drawer, bar_point, reach_at(float(bar_point[2])))


def open_drawer(session: Session, drawer: Openable) -> Motion[None]:
    """Goes to a closed drawer, pulls it open by 0.40 m, and stands so that the hand can look in from above.

    Raises:
        SkillFailed: UNREACHABLE (no bar to hook, no way, out of reach), STALLED (the base got stuck),
            SLIPPED (the bar did not come along).
    """
    bar = _hookable(drawer)
    front = drawer.fronts[0]
    stance = drawer_stance(drawer, bar_now(session.world, bar))
    yield from travel(session, stance)
    yield from _hook(session, drawer, bar)
    reached = lambda: opening(session.world, front) >= PULL  # noqa: E731
    room = room_behind(session, stance)
    if room > LEAST_DRIVE:
        yield from glide(session, straight(drawer.outward * min(PULL + 0.03, room), reached))
    if not reached():
        yield from _arm_along(session, drawer, drawer.outward, reached)
    yield from _unhook(session, drawer)
    if opening(session.world, front) < LEAST:
        raise SkillFailed(Reason.SLIPPED, f"the drawer came out {opening(session.world, front):.2f} m")
    yield from _stand_over(session, drawer, bar)


def closing_stance(session: Session, drawer: Openable) -> tuple[float, float, float]:
    """Where the base frame stands to close a drawer that is open: as far behind its bar as there is room.

    Raises:
        SkillFailed(UNREACHABLE): it has no bar to hook.
    """
    bar = _hookable(drawer)
    wanted = drawer_stance(drawer, bar_now(session.world, bar))
    first = drawer_stance(drawer, np.array(bar.centre))
    back = min(room_behind(session, first), float(drawer.outward @ (np.array(wanted[:2]) - np.array(first[:2]))))
    return first[0] + back * drawer.outward[0], first[1] + back * drawer.outward[1], first[2]


def close_drawer(session: Session, drawer: Openable) -> Motion[None]:
    """Goes to an open drawer and pushes it shut.

    Raises:
        SkillFailed: as `open_drawer`.
    """
    bar = _hookable(drawer)
    front = drawer.fronts[0]
    yield from sidestep(session, closing_stance(session, drawer), drawer.box.top + RISE)
    yield from _hook(session, drawer, bar)
    shut = lambda: opening(session.world, front) <= 0.004  # noqa: E731
    stretched = lambda: shut() or _ahead(session, drawer) > reach_at(bar.centre[2]) - 0.01  # noqa: E731
    if not stretched():
        yield from _arm_along(session, drawer, -drawer.outward, stretched)
    yield from glide(session, straight(-drawer.outward * (opening(session.world, front) + 0.04), shut), pace=0.25)
    if not shut():
        yield from _arm_along(session, drawer, -drawer.outward, shut)
    yield from _unhook(session, drawer)
    if opening(session.world, front) > CLOSED * abs(front.travel):
        raise SkillFailed(Reason.SLIPPED, f"the drawer is still {opening(session.world, front):.3f} m open")


def room_behind(session: Session, stance: tuple[float, float, float]) -> float:
    """How far the base can drive straight back from a stance, m, up to what a pull needs."""
    back = -np.array([np.cos(stance[2]), np.sin(stance[2])])
    pivot = np.array(stance[:2]) + PIVOT * back
    far = 0.0
    for distance in np.arange(ROOM_STEP, PULL + 0.05, ROOM_STEP):
        edge = pivot + (distance + REAR) * back
        if not all(session.floor.clear_of(edge + side * np.array([-back[1], back[0]]), AIR) for side in REAR_EDGE):
            break
        far = float(distance)
    return far


def _ahead(session: Session, drawer: Openable) -> float:
    """How far the hand is ahead of the base frame, m."""
    position, _ = base_frame(session.world)
    at, _ = gripper_frame(session.world)
    return float((position - at)[:2] @ drawer.outward)


def _arm_along(session: Session, drawer: Openable, way: np.ndarray, done: Callable[[], bool]) -> Motion[None]:
    """Moves the hooked hand level along a direction (2,), tilting it as the reach asks for, until done or stuck."""
    start, _ = gripper_frame(session.world)
    line = np.array([*way, 0.0])
    height = drawer.fronts[0].bar.centre[2]
    track = [0.0]
    for _ in range(ARM_TICKS):
        at, _ = gripper_frame(session.world)
        gone = float((at - start) @ line)
        track.append(gone)
        if done() or (len(track) > STALL_TICKS and gone - track[-1 - STALL_TICKS] < STALL_DISTANCE):
            return
        turn = tilted(-drawer.outward, pitch_near(height, _ahead(session, drawer)))
        yield servo(session, start + (gone + LEAD) * line, turn, 0.8)


def _hookable(drawer: Openable) -> Bar:
    bar = drawer.fronts[0].bar
    if bar is None or bar.gap < MIN_GAP:
        raise SkillFailed(Reason.UNREACHABLE, f"{drawer.fixture} has no bar that fingers fit behind")
    return bar


def _hook(session: Session, drawer: Openable, bar: Bar) -> Motion[None]:
    """Puts the closed fingers behind the bar, from above and in front."""
    site, turn = _behind(session, drawer, bar)
    yield from move(session, site - APPROACH * turn[:, 2], turn, tolerance=0.01, turn_tolerance=0.08)
    if session.grip <= 0:
        yield from set_gripper(session, close=True)
    site, turn = _behind(session, drawer, bar)
    yield from move(session, site, turn, tolerance=0.003, turn_tolerance=0.04, speed=0.7, required=0.011)


def _behind(session: Session, drawer: Openable, bar: Bar) -> tuple[np.ndarray, np.ndarray]:
    """Pose of the grip site, world (3,) and (3, 3), whose fingers are behind the bar when they get there."""
    rate = moving(session.world, drawer.fronts[0])
    at = bar_now(session.world, bar) + ARRIVAL * rate * np.array([*drawer.outward, 0.0])
    position, _ = base_frame(session.world)
    pitch = pitch_near(float(at[2]), float((position - at)[:2] @ drawer.outward))
    turn = tilted(-drawer.outward, pitch)
    forward = np.array([*-drawer.outward, 0.0])
    across = np.cos(pitch) * forward + np.sin(pitch) * np.array([0, 0, 1.0])
    return at + across * (bar.radius + FINGER_HALF + CLEARANCE) + DEPTH * turn[:, 2], turn


def _unhook(session: Session, drawer: Openable) -> Motion[None]:
    """Takes the fingers out the way they came in, and raises the hand."""
    at, turn = gripper_frame(session.world)
    free = at + CLEARANCE * np.array([*-drawer.outward, 0.0])
    if session.grip > 0:
        yield from move(session, free, turn, tolerance=0.003, required=0.03, limit=10)
    yield from move(session, free - APPROACH * turn[:, 2], turn, tolerance=0.015, required=0.03)
    yield from _raise_hand(session, drawer)


def _raise_hand(session: Session, drawer: Openable) -> Motion[None]:
    at, turn = gripper_frame(session.world)
    height = drawer.box.top + RISE
    if at[2] < height - 0.02:
        yield from move(session, np.array([at[0], at[1], height]), turn, tolerance=0.02, required=0.05)


def _stand_over(session: Session, drawer: Openable, bar: Bar) -> Motion[None]:
    """Drives forward until the middle of the open drawer is in easy reach of a hand that points down."""
    middle = bar_now(session.world, bar)[:2] - drawer.outward * (PULL / 2)
    yield from drive(session, stance_before(drawer, middle, LOOK))
