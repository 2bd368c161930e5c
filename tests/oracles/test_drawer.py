"""Looking into a drawer, taking a thing out of it, and pushing it shut with the thing inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import mujoco
import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.eyes import Eyes
from oracles.runner import ENVELOPE
from oracles.skills.arm import base_frame, gripper_frame
from oracles.skills.drawer import close_drawer, open_drawer
from oracles.skills.drawer_inside import look_into_drawer, take_from_drawer
from oracles.skills.fronts import opening, reach_at, stance_before
from oracles.skills.travel import SAFE_HEIGHT
from sim.assets import AssetRoots
from sim.compartment import HAND_WIDTH, drawer_spot
from sim.contact import subtree
from sim.kitchen import Box, Kitchen
from sim.model import begin_model, finish_model
from sim.openable import Openable, find_openables
from sim.robot import ARM, BASE, BASE_MODE, GRIPPER
from sim.world import Checkpoint, World
from tasks.props.extent import tilt
from tasks.props.pool import PoolObject, add_pool_object
from tests.bench import Notes, bench_instance
from verify.contacts import KITCHEN_DEPTH, PROP_DEPTH, Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

TIN = PoolObject("tin", "green")


@pytest.fixture(scope="module")
def drawer(kitchen17: Kitchen) -> Openable:
    return next(o for o in find_openables(kitchen17) if o.fixture == "stack_2_main_group_1_3")


@pytest.fixture(scope="module")
def opened(kitchen17: Kitchen, roots: AssetRoots, drawer: Openable) -> Iterator[tuple[Session, Checkpoint]]:
    """A drawer with a tin in it that has been pulled open, and the state just then."""
    bar = np.array(drawer.fronts[0].bar.centre)
    start = stance_before(drawer, bar, reach_at(bar[2]) + 0.1)
    spec = begin_model(kitchen17, roots, start, keep_joints=drawer.joints)
    add_pool_object(spec, TIN, drawer_spot(drawer), 0.7)
    world = World(finish_model(spec, roots), roots)
    world.reset()
    with Eyes(world) as eyes:
        session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), eyes)
        act(session, open_drawer(session, drawer))
        yield session, world.checkpoint()


@pytest.fixture
def session(opened: tuple[Session, Checkpoint]) -> Session:
    session, checkpoint = opened
    session.world.restore(checkpoint)
    session.grip = 1.0
    return session


def act(session: Session, motion: Motion[Any]) -> Depths:
    """Runs a motion inside the envelope."""
    depths = Depths(session.world)
    for count, action in enumerate(motion, 1):
        assert np.all(np.abs(np.asarray(action, np.float32)) <= ENVELOPE + 1e-6)
        assert not np.any(action[BASE]) or (not np.any(action[ARM]) and action[BASE_MODE] > 0)
        session.world.tick(action)
        depths(count, session.world)
    return depths


def test_a_thing_in_an_open_drawer_is_seen_and_taken_out(session: Session, drawer: Openable) -> None:
    world, body = session.world, session.world.model.body(TIN.name).id
    out = drawer.outward * opening(world, drawer.fronts[0])
    assert np.allclose(world.data.xpos[body][:2], drawer_spot(drawer)[:2] + out, atol=0.005), "it came along"
    act(session, look_into_drawer(session, drawer))
    shown = {"tin": [g for g in subtree(world.model, body) if world.model.geom_group[g] == 1]}
    assert session.eyes.seen(shown, cameras=["wrist"]).keys() == {"tin"}
    depths = act(session, take_from_drawer(session, TIN, drawer))
    at, _ = gripper_frame(world)
    assert np.linalg.norm(world.data.xpos[body] - at) < 0.11 and tilt(world.data, body) < 0.1
    assert at[2] > base_frame(world)[0][2] + SAFE_HEIGHT, "ready for driving"
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen
    assert depths.props.metres < PROP_DEPTH, depths.props


def test_a_thing_stays_where_it_stands_when_the_drawer_is_shut(session: Session, drawer: Openable) -> None:
    world, body = session.world, session.world.model.body(TIN.name).id
    act(session, close_drawer(session, drawer))
    assert opening(world, drawer.fronts[0]) < 0.02
    assert np.allclose(world.data.xpos[body], drawer_spot(drawer), atol=0.02)
    assert tilt(world.data, body) < 0.02


def test_a_thing_that_is_no_longer_there_slips(session: Session, drawer: Openable) -> None:
    world, opened = session.world, False
    with pytest.raises(SkillFailed) as failure:
        for action in take_from_drawer(session, TIN, drawer):
            opened = opened or action[GRIPPER] < 0
            if opened and action[GRIPPER] > 0:
                world.data.joint(f"{TIN.name}_joint").qpos[:3] = (0, 0, 5)
                mujoco.mj_kinematics(world.model, world.data)
            world.tick(action)
    assert failure.value.reason is Reason.SLIPPED


def test_a_hand_needs_room_between_high_walls(drawer: Openable) -> None:
    def narrowed(height: float) -> Openable:
        space = drawer.interiors[0]
        half = (HAND_WIDTH / 2 - 0.01, space.half[1], height / 2)
        return replace(drawer, interiors=(Box(space.centre, half, space.yaw),))

    assert drawer_spot(narrowed(0.18)) is None
    assert drawer_spot(narrowed(0.12)) is not None, "the hand stays above such walls"
    x, y, z = drawer_spot(drawer)
    space = drawer.interiors[0]
    local = np.array([x, y]) - np.array(space.centre[:2])
    assert z == space.bottom and abs(local @ drawer.outward) < space.half[1] - 0.1
