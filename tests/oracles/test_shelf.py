"""Looking into a cabinet, taking a thing off its shelf, and where such things may stand."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from oracles.base import Reason, Session, SkillFailed
from oracles.eyes import Eyes
from oracles.skills.arm import base_frame, gripper_frame
from oracles.skills.door import open_door
from oracles.skills.fronts import tilted
from oracles.skills.shelf import AHEAD, CARRY, PITCH, hand_fits, look_in, shelf_stance, take_from_shelf
from sim.assets import AssetRoots
from sim.compartment import HAND_ROOM, LEAF_ROOM, SHELF_FLOOR, hiding_places, shelf_spots
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.openable import DOOR, DRAWER, Openable, find_openables
from sim.world import World
from tasks.props.extent import tilt
from tasks.props.pool import PoolObject, add_pool_object
from tests.bench import Notes, bench_instance
from tests.oracles.test_furniture import act
from verify.contacts import KITCHEN_DEPTH, PROP_DEPTH, Depths

pytestmark = pytest.mark.xdist_group("kitchen17")

DOOR_NAME = "stack_3_main_group_1_1"
CAN = PoolObject("can", "red")


@pytest.fixture(scope="module")
def door(kitchen17: Kitchen) -> Openable:
    return next(o for o in find_openables(kitchen17) if o.fixture == DOOR_NAME)


@pytest.fixture(scope="module")
def world(door: Openable, kitchen17: Kitchen, roots: AssetRoots) -> World:
    """The robot before a door with a can behind it."""
    spec = begin_model(
        kitchen17, roots, shelf_stance(door, np.array(door.fronts[0].bar.centre)), keep_joints=door.joints
    )
    add_pool_object(spec, CAN, shelf_spots(door)[0].point, 0.4)
    return World(finish_model(spec, roots), roots)


def test_a_thing_behind_a_door_is_seen_and_taken_out_upright(world: World, door: Openable) -> None:
    world.reset()
    session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)
    leaf, depths, body = door.fronts[0], Depths(world), world.model.body(CAN.name).id
    shown = [g for g in range(world.model.ngeom) if world.model.geom_bodyid[g] == body and not _solid(world, g)]
    with Eyes(world) as eyes:
        assert not eyes.seen({"can": shown}), "the closed door hides it"
        act(session, open_door(session, door, leaf), depths)
        act(session, look_in(session, door, leaf), depths)
        assert eyes.seen({"can": shown}, cameras=("wrist",))
    act(session, take_from_shelf(session, CAN, door, leaf), depths)
    position, base = base_frame(world)
    at, _ = gripper_frame(world)
    assert base.T @ (at - position) == pytest.approx(CARRY, abs=0.04)
    assert np.linalg.norm(world.data.xpos[body] - at) < 0.12
    assert tilt(world.data, body) < 0.1
    assert depths.kitchen.metres < KITCHEN_DEPTH, depths.kitchen
    assert depths.props.metres < PROP_DEPTH, depths.props


def test_the_hand_fits_past_a_wide_open_leaf_and_not_past_one_ajar(world: World, door: Openable) -> None:
    world.reset()
    session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)
    leaf, spot = door.fronts[0], np.array(shelf_spots(door)[0].point)
    fits = {}
    for angle in (0.0, 0.8, 1.1, 1.2, 1.5):
        world.data.joint(leaf.joint).qpos[0] = np.sign(leaf.travel) * angle
        fits[angle] = hand_fits(session, door, leaf, spot)
    assert fits == {0.0: False, 0.8: False, 1.1: False, 1.2: True, 1.5: True}


def test_a_thing_that_is_not_where_the_hand_closes_slips(world: World, door: Openable) -> None:
    world.reset()
    session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)
    joint = world.model.joint(door.joints[0])
    world.data.qpos[joint.qposadr[0]] = np.sign(door.fronts[0].travel) * 1.35
    mujoco.mj_kinematics(world.model, world.data)
    with pytest.raises(SkillFailed) as failure:
        for action in take_from_shelf(session, CAN, door, door.fronts[0]):
            if action[6] > 0:
                world.data.joint(f"{CAN.name}_joint").qpos[:3] = (30.0, 30.0, 0.0)
            world.tick(action)
    assert failure.value.reason == Reason.SLIPPED


def test_a_door_without_shelves_in_reach_is_refused(world: World, door: Openable) -> None:
    world.reset()
    session = Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)
    with pytest.raises(SkillFailed) as failure:
        next(look_in(session, replace(door, interiors=door.interiors[:1]), door.fronts[0]))
    assert failure.value.reason == Reason.UNREACHABLE


def test_the_stance_faces_the_spot(door: Openable) -> None:
    spot = np.array(shelf_spots(door)[0].point)
    x, y, yaw = shelf_stance(door, spot, 0.1)
    ahead = np.array([np.cos(yaw), np.sin(yaw)])
    assert (spot[:2] - [x, y]) == pytest.approx((AHEAD + 0.1) * ahead)
    assert tilted(-door.outward, PITCH)[:2, 2] @ ahead == pytest.approx(np.sin(PITCH))


def test_spots_are_on_shelves_with_room_for_the_hand(kitchen17: Kitchen) -> None:
    doors = [place.openable for place in hiding_places(kitchen17) if place.openable.kind == DOOR]
    assert doors
    for furniture in doors:
        spots = shelf_spots(furniture)
        assert spots
        for spot in spots:
            leaf = furniture.fronts[spot.leaf]
            point = np.array(spot.point)
            space = next(space for space in furniture.interiors if space.bottom == point[2])
            c, s = np.cos(furniture.yaw), np.sin(furniture.yaw)
            offset = np.array([[c, s], [-s, c]]) @ (point[:2] - space.centre[:2])
            assert point[2] >= SHELF_FLOOR
            assert abs(offset[0]) <= space.half[0] - HAND_ROOM + 1e-6
            assert -space.half[1] < offset[1] < -space.half[1] + 0.1, "near the front edge"
            hinge = abs((point[:2] - leaf.hinge) @ [c, s])
            assert LEAF_ROOM <= hinge <= 2 * leaf.box.half[0] - HAND_ROOM + 1e-6


def test_wide_and_tall_leaves_and_drawers_have_no_spots(door: Openable) -> None:
    leaf = door.fronts[0]
    wide = replace(leaf, box=replace(leaf.box, half=(0.40, *leaf.box.half[1:])))
    tall = replace(leaf, box=replace(leaf.box, half=(*leaf.box.half[:2], 0.9)))
    for other in (wide, tall):
        assert shelf_spots(replace(door, fronts=(other,))) == ()
    assert shelf_spots(replace(door, kind=DRAWER)) == ()


def _solid(world: World, geom: int) -> bool:
    return bool(world.model.geom_contype[geom] or world.model.geom_conaffinity[geom])
