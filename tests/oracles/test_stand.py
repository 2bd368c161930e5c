"""Standing up what is held at a tilt, on the bench's work top."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from oracles.base import Session
from oracles.skills.arm import base_frame, gripper_frame, move, set_gripper
from oracles.skills.fronts import tilted
from oracles.skills.shelf import NEARER
from oracles.skills.stand import AHEAD, AHEAD_PER_PITCH, stand, stand_stance, upright_turn
from sim.assets import AssetRoots
from sim.contact import at_rest
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.surface import Spot, find_spots
from sim.world import World
from tasks.props.extent import tilt
from tasks.props.pool import PoolObject, add_pool_object
from tests.bench import Notes, bench_instance
from tests.oracles.test_furniture import act
from verify.contacts import Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

TIN = PoolObject("tin", "yellow")
PITCH = 0.8
HELD = (0.50, 0.0, 0.45)
"""Where the hand is when it gets hold of the tin, base frame."""


@pytest.fixture(scope="module")
def spot(kitchen17: Kitchen) -> Spot:
    return find_spots(kitchen17, (1.30, 0.66), 0.50)[0]


@pytest.fixture
def session(spot: Spot, kitchen17: Kitchen, roots: AssetRoots) -> Session:
    """An upright tin held by a hand that is tilted forward, in the air."""
    spec = begin_model(kitchen17, roots, spot.base)
    add_pool_object(spec, TIN, spot.to_world((0.4, 0.2)), 0.0)
    world = World(finish_model(spec, roots), roots)
    world.reset()
    session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)
    position, base = base_frame(world)
    depths = Depths(world)
    act(session, move(session, position + base @ np.array(HELD), tilted(base[:2, 0], PITCH)), depths)
    at, _ = gripper_frame(world)
    joint = world.data.joint(f"{TIN.name}_joint")
    for action in set_gripper(session, close=True):
        joint.qpos[:] = [*(at + NEARER * base[:, 0] - [0, 0, TIN.figures.anchor[2]]), 1, 0, 0, 0]
        joint.qvel[:] = 0
        world.tick(action)
    mujoco.mj_kinematics(world.model, world.data)
    return session


def test_what_is_held_at_a_tilt_stands_upright_on_its_spot(session: Session, spot: Spot) -> None:
    world, depths = session.world, Depths(session.world)
    body = world.model.body(TIN.name).id
    point = np.array(spot.to_world((-0.1, -0.15)))
    start, _ = base_frame(world)
    act(session, stand(session, TIN, point, carry_height=point[2] + 0.30), depths)
    end, _ = base_frame(world)
    assert np.linalg.norm(world.data.xpos[body] - point) < 0.025
    assert tilt(world.data, body) < 0.05
    assert at_rest(world.model, world.judged(), body, world.robot_geoms)
    assert np.linalg.norm(end - start) < 0.03, "the base comes back"
    assert depths.kitchen.metres == 0.0, depths.kitchen


def test_the_hand_is_righted_with_the_thing_and_the_stance_allows_for_its_tilt(session: Session) -> None:
    world = session.world
    body = world.model.body(TIN.name).id
    position, base = base_frame(world)
    turn = upright_turn(session, body)
    assert np.arccos(-turn[2, 2]) == pytest.approx(PITCH, abs=0.06)
    assert abs(turn[:, 0] @ base[:, 0]) < 1e-6, "square to the base"
    point = position + [1.0, 0.5, 0.2]
    outward = np.array([0.0, -1.0])
    x, y, yaw = stand_stance(session, body, point, outward)
    assert yaw == pytest.approx(np.pi / 2)
    assert x == pytest.approx(point[0], abs=0.03)
    assert point[1] - y == pytest.approx(AHEAD + AHEAD_PER_PITCH * PITCH, abs=0.05)
