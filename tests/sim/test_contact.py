"""Contact queries, on a cube, a table and a finger."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim.contact import at_rest, speed, subtree, supported_by, touches, touching

SCENE = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <body name="table"><geom name="table" type="box" size="1 1 .05" pos="0 0 -.05"/></body>
    <body name="cube" pos="0 0 .02">
      <freejoint/>
      <geom name="cube" type="box" size=".02 .02 .02" mass=".1"/>
      <body name="cap" pos="0 0 .025"><geom name="cap" type="sphere" size=".004" mass=".001"/></body>
    </body>
    <body name="finger" pos="0 -.2 .02">
      <joint name="finger" type="slide" axis="0 1 0"/>
      <geom name="finger" type="sphere" size=".01" mass=".1"/>
    </body>
    <body name="wall" pos="0 .2 .1"><geom name="wall" type="box" size=".2 .01 .1"/></body>
  </worldbody>
</mujoco>
"""
WEIGHT = 0.101 * 9.81


@pytest.fixture
def scene() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The cube at rest on the table."""
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    for _ in range(300):
        mujoco.mj_step(model, data)
    mujoco.mj_forward(model, data)
    return model, data


def geoms(model: mujoco.MjModel, *names: str) -> frozenset[int]:
    return frozenset(model.geom(name).id for name in names)


def move(model: mujoco.MjModel, data: mujoco.MjData, *, cube: tuple[float, float, float] | None = None, finger=-0.0):
    if cube is not None:
        data.qpos[:3] = cube
    data.qpos[model.joint("finger").qposadr[0]] = finger
    mujoco.mj_forward(model, data)


def test_subtree_is_a_body_and_all_below_it(scene) -> None:
    model, _ = scene
    assert subtree(model, model.body("cube").id) == geoms(model, "cube", "cap")
    assert subtree(model, model.body("cap").id) == geoms(model, "cap")
    assert len(subtree(model, 0)) == model.ngeom


def test_a_table_pushes_up_with_the_weight_and_is_pushed_down(scene) -> None:
    model, data = scene
    up = list(touches(model, data, geoms(model, "cube", "cap")))
    assert len(up) == 4
    assert {(t.geom, t.other) for t in up} == {(model.geom("cube").id, model.geom("table").id)}
    assert all(t.normal[2] == pytest.approx(1.0) for t in up)
    assert sum(t.force for t in up) == pytest.approx(WEIGHT, rel=0.01)
    down = list(touches(model, data, geoms(model, "table")))
    assert all(t.normal[2] == pytest.approx(-1.0) for t in down)
    assert {t.geom for t in down} == {model.geom("table").id}


def test_contacts_within_the_set_do_not_count(scene) -> None:
    model, data = scene
    assert list(touches(model, data, geoms(model, "cube", "table"))) == []


def test_supported_by(scene) -> None:
    model, data = scene
    cube = geoms(model, "cube")
    assert supported_by(model, data, cube)
    assert supported_by(model, data, cube, geoms(model, "table"))
    assert not supported_by(model, data, cube, geoms(model, "wall"))
    assert not supported_by(model, data, geoms(model, "table"))
    move(model, data, cube=(0.0, 0.0, 0.3))
    assert not supported_by(model, data, cube)


def test_a_wall_touches_but_does_not_carry(scene) -> None:
    model, data = scene
    move(model, data, cube=(0.0, 0.171, 0.1))
    cube = geoms(model, "cube")
    assert touching(model, data, cube, geoms(model, "wall"))
    assert not touching(model, data, cube, geoms(model, "table"))
    assert not supported_by(model, data, cube)


def test_speed_is_of_the_centre_of_mass(scene) -> None:
    model, data = scene
    data.qvel[:6] = (0.3, 0.0, 0.4, 0.0, 0.0, 2.0)
    mujoco.mj_forward(model, data)
    assert speed(model, data, model.body("cube").id) == pytest.approx((0.5, 2.0), abs=1e-9)
    assert speed(model, data, model.body("table").id) == (0.0, 0.0)


def test_at_rest_means_still_carried_and_let_go(scene) -> None:
    model, data = scene
    cube, finger = model.body("cube").id, geoms(model, "finger")
    assert at_rest(model, data, cube, finger)
    move(model, data, finger=0.171)
    assert touching(model, data, geoms(model, "cube"), finger)
    assert not at_rest(model, data, cube, finger)
    assert at_rest(model, data, cube, frozenset())
    move(model, data, cube=(0.0, 0.0, 0.5))
    assert not at_rest(model, data, cube, finger)


@pytest.mark.parametrize(("dof", "value"), [(0, 0.031), (5, 0.21)])
def test_at_rest_is_lost_above_the_thresholds(scene, dof: int, value: float) -> None:
    model, data = scene
    for scale, expected in ((0.9, True), (1.0, False)):
        data.qvel[:6] = 0.0
        data.qvel[dof] = scale * value
        mujoco.mj_forward(model, data)
        assert at_rest(model, data, model.body("cube").id, frozenset()) is expected


def test_queries_leave_the_data_alone(scene) -> None:
    model, data = scene
    before = np.copy(data.qfrc_constraint)
    list(touches(model, data, geoms(model, "cube")))
    at_rest(model, data, model.body("cube").id, frozenset())
    np.testing.assert_array_equal(data.qfrc_constraint, before)
