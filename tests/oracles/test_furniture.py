"""Opening and closing drawers and doors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.runner import ENVELOPE
from oracles.skills.arm import wait
from oracles.skills.door import LEAST as LEAST_DOOR
from oracles.skills.door import WIDE as WIDE_DOOR
from oracles.skills.door import door_stance
from oracles.skills.drawer import LEAST as LEAST_DRAWER
from oracles.skills.drawer import drawer_stance
from oracles.skills.fronts import opening, pitch_near, reach_at, stance_before, tilted
from oracles.skills.furniture import close_front, open_front
from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.openable import DRAWER, Front, Openable, find_openables
from sim.robot import ARM, BASE, BASE_MODE, GRIPPER
from sim.world import World
from tasks.hiding.fronts import CLOSING_TIME, REST, SHUT
from tests.bench import Notes, bench_instance
from verify.contacts import KITCHEN_DEPTH, Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

DRAWER_NAME = "stack_2_main_group_1_3"
DOOR_NAME = "stack_3_main_group_1_1"


def openable(kitchen: Kitchen, name: str) -> Openable:
    return next(o for o in find_openables(kitchen) if o.fixture == name)


@pytest.fixture(scope="module")
def world(kitchen17: Kitchen, roots: AssetRoots) -> World:
    """The robot a step behind its stance before a drawer; a drawer and a door can move."""
    drawer, door = openable(kitchen17, DRAWER_NAME), openable(kitchen17, DOOR_NAME)
    bar = np.array(drawer.fronts[0].bar.centre)
    start = stance_before(drawer, bar, reach_at(bar[2]) + 0.1)
    spec = begin_model(kitchen17, roots, start, keep_joints=(*drawer.joints, *door.joints))
    return World(finish_model(spec, roots), roots)


@pytest.fixture
def session(world: World) -> Session:
    world.reset()
    return Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)


def act(session: Session, motion: Motion[None], depths: Depths) -> int:
    """Runs a motion inside the envelope; returns how many ticks it took."""
    count = 0
    for count, action in enumerate(motion, 1):
        assert np.all(np.abs(np.asarray(action, np.float32)) <= ENVELOPE + 1e-6)
        assert not np.any(action[BASE]) or (not np.any(action[ARM]) and action[BASE_MODE] > 0)
        session.world.tick(action)
        depths(2 * count, session.world)
    return count


@pytest.mark.parametrize("name", [DRAWER_NAME, DOOR_NAME])
def test_opens_and_closes_without_going_through_anything(session: Session, kitchen17: Kitchen, name: str) -> None:
    furniture = openable(kitchen17, name)
    depths = Depths(session.world)
    act(session, open_front(session, furniture), depths)
    least = LEAST_DRAWER if furniture.kind == DRAWER else LEAST_DOOR
    assert opening(session.world, furniture.fronts[0]) >= least
    act(session, close_front(session, furniture), depths)
    front = furniture.fronts[0]
    assert opening(session.world, front) <= 0.02 * abs(front.travel)
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen


def swing(world: World, leaf: Front, angle: float) -> None:
    """Opens a leaf by hand, to an angle in rad."""
    world.data.qpos[world.model.joint(leaf.joint).qposadr[0]] = np.sign(leaf.travel) * angle
    mujoco.mj_kinematics(world.model, world.data)


def test_a_leaf_that_stands_wide_open_is_closed(session: Session, kitchen17: Kitchen) -> None:
    door = openable(kitchen17, DOOR_NAME)
    leaf = door.fronts[0]
    swing(session.world, leaf, 1.5)
    depths = Depths(session.world)
    act(session, close_front(session, door), depths)
    assert opening(session.world, leaf) <= 0.02 * abs(leaf.travel)
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen


@contextmanager
def shuts_by_itself(world: World, furniture: Openable) -> Iterator[None]:
    """A closer on a fixture's first front, as `add_closers` makes it."""
    model, front = world.model, furniture.fronts[0]
    joint = model.joint(front.joint)
    changed = (model.jnt_stiffness, model.qpos_spring, model.dof_frictionloss)
    kept = [values.copy() for values in changed]
    rate = np.log((1 + REST) / (SHUT + REST)) / CLOSING_TIME
    model.jnt_stiffness[joint.id] = rate * model.dof_damping[joint.dofadr[0]]
    model.qpos_spring[joint.qposadr[0]] = -REST * front.travel
    model.dof_frictionloss[joint.dofadr[0]] = 0.0
    yield
    for values, before in zip(changed, kept, strict=True):
        values[:] = before


@pytest.mark.parametrize("name", [DRAWER_NAME, DOOR_NAME])
def test_what_shuts_by_itself_is_opened_and_closed_too(session: Session, kitchen17: Kitchen, name: str) -> None:
    furniture = openable(kitchen17, name)
    front = furniture.fronts[0]
    with shuts_by_itself(session.world, furniture):
        act(session, open_front(session, furniture), Depths(session.world))
        wide = opening(session.world, front)
        assert wide >= (LEAST_DRAWER if furniture.kind == DRAWER else WIDE_DOOR), "a door is pushed as far as it goes"
        act(session, wait(session, 100), Depths(session.world))
        assert opening(session.world, front) < wide - 0.005, "it is shutting by itself"
        depths = Depths(session.world)
        act(session, close_front(session, furniture), depths)
    assert opening(session.world, front) <= 0.02 * abs(front.travel)
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen


def test_a_leaf_that_is_ajar_is_pushed_open(session: Session, kitchen17: Kitchen) -> None:
    door = openable(kitchen17, DOOR_NAME)
    leaf = door.fronts[0]
    swing(session.world, leaf, 1.0)
    depths = Depths(session.world)
    closed = False
    for count, action in enumerate(open_front(session, door), 1):
        closed = closed or action[GRIPPER] > 0
        session.world.tick(action)
        depths(2 * count, session.world)
    assert opening(session.world, leaf) > 1.25
    assert not closed, "nothing is pinched"
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen


def test_a_front_that_does_not_move_is_a_slip_not_a_crash(session: Session, kitchen17: Kitchen) -> None:
    drawer = openable(kitchen17, DRAWER_NAME)
    joint = session.world.model.joint(drawer.joints[0])
    loose = joint.range.copy()
    joint.range[:] = (-1e-4, 1e-4)
    try:
        with pytest.raises(SkillFailed) as failure:
            act(session, open_front(session, drawer), Depths(session.world))
    finally:
        joint.range[:] = loose
    assert failure.value.reason in (Reason.SLIPPED, Reason.STALLED)


def test_a_knob_is_refused(session: Session, kitchen17: Kitchen) -> None:
    from dataclasses import replace

    drawer = openable(kitchen17, DRAWER_NAME)
    knob = replace(drawer, fronts=(replace(drawer.fronts[0], bar=None),))
    with pytest.raises(SkillFailed) as failure:
        next(open_front(session, knob))
    assert failure.value.reason == Reason.UNREACHABLE


def test_stances_face_the_front(session: Session, kitchen17: Kitchen) -> None:
    drawer, door = openable(kitchen17, DRAWER_NAME), openable(kitchen17, DOOR_NAME)
    for furniture, stance in (
        (drawer, drawer_stance(drawer, np.array(drawer.fronts[0].bar.centre))),
        (door, door_stance(session, door, door.fronts[0])),
    ):
        ahead = np.array([np.cos(stance[2]), np.sin(stance[2])])
        assert ahead == pytest.approx(-furniture.outward, abs=1e-6)
        bar = np.array(furniture.fronts[0].bar.centre[:2])
        assert 0.5 < (bar - np.array(stance[:2])) @ ahead < 0.85


def test_the_hand_tilts_less_for_lower_and_nearer_bars() -> None:
    assert pitch_near(0.47, 0.9) < pitch_near(0.60, 0.9) < pitch_near(0.80, 0.9)
    assert pitch_near(0.60, 0.5) < pitch_near(0.60, 0.7)
    turn = tilted(np.array([0.0, 1.0]), 0.5)
    assert np.allclose(turn.T @ turn, np.eye(3)) and np.linalg.det(turn) == pytest.approx(1.0)
    assert turn[:, 2] == pytest.approx([0, np.sin(0.5), -np.cos(0.5)])
