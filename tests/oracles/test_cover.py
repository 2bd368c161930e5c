"""Lifting a cloche off a mug and setting it down beside, on the bench's work top."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.runner import ENVELOPE
from oracles.skills.arm import base_frame, gripper_gap
from oracles.skills.cover import LIFT, lift_cover, set_cover_down, uncover
from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.robot import ARM, BASE, BASE_MODE, GRIPPER
from sim.surface import Spot, find_spots
from sim.world import World
from tasks.props.cloche import LARGE, add_cloche
from tasks.props.extent import tilt
from tasks.props.pool import PoolObject, add_pool_object
from tests.bench import Notes, bench_instance
from verify.contacts import PROP_DEPTH, Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

MUG = PoolObject("mug", "red")
HIDDEN = (-0.05, -0.15)
ASIDE = (0.31, -0.15)


@pytest.fixture(scope="module")
def spot(kitchen17: Kitchen) -> Spot:
    return find_spots(kitchen17, (1.30, 0.66), 0.50)[0]


@pytest.fixture(scope="module")
def world(kitchen17: Kitchen, roots: AssetRoots, spot: Spot) -> World:
    spec = begin_model(kitchen17, roots, spot.base)
    add_pool_object(spec, MUG, spot.to_world(HIDDEN), spot.yaw + 1.0)
    add_cloche(spec, LARGE, spot.to_world(HIDDEN), spot.yaw)
    return World(finish_model(spec, roots), roots)


@pytest.fixture
def session(world: World) -> Session:
    world.reset()
    return Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)


def do(session: Session, motion: Motion[None], lose_at_close: bool = False) -> Depths:
    world, depths, ticks = session.world, Depths(session.world), 0
    for action in motion:
        assert (np.abs(action) <= ENVELOPE + 1e-6).all()
        assert not (np.any(action[BASE]) and (np.any(action[ARM]) or action[BASE_MODE] <= 0))
        if lose_at_close and action[GRIPPER] > 0:
            world.data.joint("cloche_joint").qpos[:2] += 0.3
            mujoco.mj_kinematics(world.model, world.data)
            lose_at_close = False
        world.tick(action)
        ticks += 2
        depths(ticks, world)
    return depths


def test_a_cover_is_set_aside_and_what_it_hid_stays(session: Session, spot: Spot) -> None:
    world = session.world
    before, stance = world.data.body(MUG.name).xpos.copy(), base_frame(world)[0]
    depths = do(session, uncover(session, "cloche", np.array(spot.to_world(ASIDE))))
    assert np.linalg.norm(world.data.body(MUG.name).xpos - before) < 0.002
    assert tilt(world.data, world.model.body(MUG.name).id) < 0.01
    assert np.linalg.norm(world.data.body("cloche").xpos - spot.to_world(ASIDE)) < 0.01
    assert tilt(world.data, world.model.body("cloche").id) < 0.01
    assert np.linalg.norm(base_frame(world)[0] - stance) < 0.02, "back before what is now open"
    assert gripper_gap(world) > 0.07
    assert depths.props.metres < PROP_DEPTH, depths.props
    assert depths.kitchen.metres == 0.0, depths.kitchen


def test_a_lifted_cover_is_held_over_what_it_hid(session: Session, spot: Spot) -> None:
    do(session, lift_cover(session, "cloche"))
    cover = session.world.data.body("cloche").xpos
    assert cover[2] - spot.origin[2] == pytest.approx(LIFT, abs=0.02)
    assert cover[2] - spot.origin[2] > MUG.figures.size[2] + 0.05
    np.testing.assert_allclose(cover[:2], spot.to_world(HIDDEN)[:2], atol=0.02)


def test_a_knob_that_is_not_there_slips(session: Session) -> None:
    with pytest.raises(SkillFailed) as caught:
        do(session, lift_cover(session, "cloche"), lose_at_close=True)
    assert caught.value.reason is Reason.SLIPPED


def test_a_cover_that_is_lost_on_the_way_is_dropped(session: Session, spot: Spot) -> None:
    session.grip = 1.0
    with pytest.raises(SkillFailed) as caught:
        do(session, set_cover_down(session, "cloche", np.array(spot.to_world((0.0, -0.15)))))
    assert caught.value.reason is Reason.DROPPED
