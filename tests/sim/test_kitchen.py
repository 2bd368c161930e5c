"""Composed kitchens: the same every time, cheap to simulate, and described by facts that fit the model."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.contact import subtree, supported_by, touches, touching
from sim.kitchen import ROBOT_BODIES, Box, Kitchen, KitchenError, KitchenId, compose
from sim.world import World

pytestmark = pytest.mark.xdist_group("kitchen17")

ISLAND = "island_island_group_1"
CHECKOUT = Path(__file__).parents[2]
ELSEWHERE = """
import hashlib
from sim.gl import setup_gl
setup_gl()
from sim.assets import asset_roots
from sim.kitchen import KitchenId, compose
kitchen = compose(KitchenId(17, 3), asset_roots())
print(hashlib.sha256((kitchen.xml + repr(kitchen.fixtures)).encode()).hexdigest())
"""


def fixture_bodies(kitchen: Kitchen) -> list[ET.Element]:
    world = ET.fromstring(kitchen.xml).find("worldbody")
    return [body for body in world.findall("body") if body.get("name") not in ROBOT_BODIES]


def joint_names(xml: str) -> set[str]:
    return {joint.get("name") for tag in ("joint", "freejoint") for joint in ET.fromstring(xml).iter(tag)}


def test_composing_again_gives_the_same_kitchen(kitchen17: Kitchen, roots: AssetRoots) -> None:
    np.random.seed(99)  # noqa: NPY002
    again = compose.__wrapped__(KitchenId(17, 3), roots)
    assert again.xml == kitchen17.xml
    assert again.fixtures == kitchen17.fixtures


def test_another_process_with_another_hash_seed_composes_the_same_kitchen(kitchen17: Kitchen) -> None:
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    out = subprocess.run(
        [sys.executable, "-c", ELSEWHERE], cwd=CHECKOUT, env=env, capture_output=True, text=True, check=True
    )
    here = hashlib.sha256((kitchen17.xml + repr(kitchen17.fixtures)).encode()).hexdigest()
    assert out.stdout.strip() == here


@pytest.mark.parametrize(
    ("layout", "style", "sentence"),
    [
        (61, 3, "kitchen layout 61 does not exist: RoboCasa365 has 1 to 60"),
        (0, 3, "kitchen layout 0 does not exist: RoboCasa365 has 1 to 60"),
        (17, 61, "kitchen style 61 does not exist: RoboCasa365 has 1 to 60"),
    ],
)
def test_a_kitchen_that_does_not_exist(layout: int, style: int, sentence: str) -> None:
    with pytest.raises(KitchenError) as caught:
        KitchenId(layout, style)
    assert str(caught.value) == sentence


def test_an_unknown_fixture_is_named(kitchen17: Kitchen) -> None:
    first = kitchen17.fixtures[0]
    assert kitchen17.fixture(first.name) is first
    with pytest.raises(KitchenError, match="no fixture 'moon'"):
        kitchen17.fixture("moon")


def test_joints_exist_only_where_they_are_asked_for(kitchen17: Kitchen) -> None:
    all_joints = {j.get("name") for body in fixture_bodies(kitchen17) for j in body.iter("joint")}
    robot_joints = (
        joint_names(kitchen17.xml)
        - all_joints
        - {j.get("name") for body in fixture_bodies(kitchen17) for j in body.iter("freejoint")}
    )
    wanted = sorted(all_joints)[:2]
    assert len(all_joints) > 10
    assert len(robot_joints) >= 13
    assert joint_names(kitchen17.model_xml()) == robot_joints
    assert joint_names(kitchen17.model_xml(keep_joints=wanted)) == robot_joints | set(wanted)


def test_the_bench_keeps_only_robot_and_prop_joints(bench_world: World) -> None:
    joints = {bench_world.model.joint(j).name for j in range(bench_world.model.njnt)}
    foreign = {j for j in joints if not j.startswith(("robot0_", "gripper0_", "mobilebase0_"))}
    assert foreign == {"submit_joint", "cube_joint"}


def test_no_region_or_parked_geoms_are_left_but_the_regions_are_known(kitchen17: Kitchen) -> None:
    geoms = [geom for body in fixture_bodies(kitchen17) for geom in body.iter("geom")]
    assert len(geoms) > 500
    assert [g.get("name") for g in geoms if "reg_" in g.get("name", "")] == []
    assert [g.get("name") for g in geoms if g.get("pos") == "0 0 10"] == []
    regions = {name for fixture in kitchen17.fixtures for name in fixture.regions}
    assert {"int", "main"} & regions


def test_the_island_has_its_top_at_working_height(kitchen17: Kitchen) -> None:
    island = kitchen17.fixture(ISLAND).box
    assert island.top == pytest.approx(0.92, abs=0.01)
    assert 0.0 <= island.bottom < island.top
    assert 0.3 < min(island.half[:2]) < max(island.half[:2]) < 2.0


def test_no_two_fixtures_can_collide_even_with_all_joints(kitchen17: Kitchen) -> None:
    geoms = [geom for body in fixture_bodies(kitchen17) for geom in body.iter("geom")]
    types = {int(geom.get("contype", "1")) for geom in geoms}
    affinities = {int(geom.get("conaffinity", "1")) for geom in geoms}
    assert not any(a & b for a in types for b in affinities)


def test_the_robot_and_free_things_collide_with_fixtures(bench_world: World) -> None:
    world, model = bench_world, bench_world.model
    props = subtree(model, model.body("submit").id) | subtree(model, model.body("cube").id)
    fixtures = frozenset(range(model.ngeom)) - world.robot_geoms - props
    world.reset()
    contacts = world.judged().contact
    assert not any({int(c.geom1), int(c.geom2)} <= fixtures for c in contacts)
    assert supported_by(model, world.judged(), subtree(model, model.body("cube").id), fixtures)
    assert not touching(model, world.judged(), world.robot_geoms, fixtures)
    state = world.physics_state()
    state[1 + world.ids.base_qpos[0]] += 0.5
    world.show_state(state)
    touched = {
        model.geom(t.other).name for t in touches(model, world.judged(), world.robot_geoms) if t.other in fixtures
    }
    assert any("island" in name for name in touched)


def test_fingers_collide_with_fixtures(bench_world: World) -> None:
    """RoboCasa gives the fingers contype 0, so the fixtures' own bit has to stop them."""
    model = bench_world.model
    fingers = [g for g in bench_world.robot_geoms if "finger" in model.geom(g).name and model.geom_conaffinity[g]]
    top = next(g for g in range(model.ngeom) if model.geom(g).name == f"{ISLAND}_top_1")
    assert len(fingers) >= 4
    for finger in fingers:
        answers = model.geom_contype[top] & model.geom_conaffinity[finger]
        assert answers | (model.geom_contype[finger] & model.geom_conaffinity[top])


def test_a_fixture_box_holds_all_of_its_geoms(kitchen17: Kitchen, bench_world: World) -> None:
    bench_world.reset()
    model, data = bench_world.model, bench_world.data
    box = kitchen17.fixture(ISLAND).box
    turn = np.array([[np.cos(box.yaw), np.sin(box.yaw), 0], [-np.sin(box.yaw), np.cos(box.yaw), 0], [0, 0, 1.0]])
    corners = []
    for geom in range(model.ngeom):
        if model.geom(geom).name.startswith(f"{ISLAND}_") and model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX:
            half = model.geom_size[geom] * (2 * np.array(list(np.ndindex(2, 2, 2))) - 1)
            world_points = data.geom_xpos[geom] + half @ data.geom_xmat[geom].reshape(3, 3).T
            corners.append((world_points - box.centre) @ turn.T)
    extent = np.abs(np.concatenate(corners)).max(axis=0)
    np.testing.assert_allclose(extent, box.half, atol=1e-4)


def test_box_corners_go_round_counter_clockwise() -> None:
    box = Box((1.0, 2.0, 0.5), (0.3, 0.1, 0.5), np.pi / 2)
    expected = [(0.9, 2.3), (0.9, 1.7), (1.1, 1.7), (1.1, 2.3)]
    np.testing.assert_allclose(box.corners(), expected, atol=1e-12)
    assert (box.top, box.bottom) == (1.0, 0.0)
    x, y = box.corners().T
    assert (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() > 0
