"""The stored model of an instance: the robot at its start, props in, and text that compiles to the same numbers."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.surface import find_spots
from sim.world import World

pytestmark = pytest.mark.xdist_group("kitchen17")


@pytest.fixture(scope="module")
def spec(kitchen17: Kitchen, roots: AssetRoots) -> mujoco.MjSpec:
    return begin_model(kitchen17, roots, (1.5, -2.25, 2.0), timestep=0.001)


def test_the_robot_stands_where_it_is_put(bench_world: World, kitchen17: Kitchen) -> None:
    x, y, yaw = find_spots(kitchen17, (1.30, 0.66), 0.50)[0].base
    bench_world.reset()
    site = bench_world.ids.base_site
    np.testing.assert_allclose(bench_world.data.site_xpos[site][:2], [x, y], atol=2e-3)
    forward = bench_world.data.site_xmat[site].reshape(3, 3)[:, 0]
    np.testing.assert_allclose(forward, [np.cos(yaw), np.sin(yaw), 0.0], atol=2e-3)


def test_base_pose_and_timestep_are_those_asked_for(spec: mujoco.MjSpec, kitchen17: Kitchen) -> None:
    robot = spec.body("robot0_base")
    np.testing.assert_allclose(robot.pos[:2], [1.5, -2.25])
    np.testing.assert_allclose(robot.quat, [np.cos(1.0), 0.0, 0.0, np.sin(1.0)])
    assert spec.option.timestep == 0.001


def test_joints_that_a_task_names_are_kept(kitchen17: Kitchen, roots: AssetRoots, spec: mujoco.MjSpec) -> None:
    robot = {"robot0", "gripper0", "mobilebase0"}
    assert {joint.name.partition("_")[0] for joint in spec.joints} == robot
    whole = mujoco.MjSpec.from_string(roots.load(kitchen17.xml))
    door = next(joint.name for joint in whole.joints if "door" in joint.name)
    kept = begin_model(kitchen17, roots, (0.0, 0.0, 0.0), keep_joints=[door])
    assert {j.name for j in kept.joints} - {j.name for j in spec.joints} == {door}


def test_a_stored_model_is_a_fixed_point(bench_xml: str, bench_world: World, roots: AssetRoots) -> None:
    """Storing what was loaded from a stored model gives the same text, so a second writing changes nothing."""
    again = finish_model(mujoco.MjSpec.from_string(roots.load(bench_xml)), roots)
    assert again == bench_xml
    assert 'file="/' not in bench_xml


def test_props_are_in_the_stored_model(bench_world: World) -> None:
    for name in ("submit", "submit_cap", "cube", "robot0_base"):
        assert bench_world.model.body(name).id > 0
