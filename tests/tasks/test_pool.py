"""The search pool: sizes, colours, and that the eight stand still, upright, and hollow where they should be."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tasks.props.extent import lowest, reach, solids, tilt
from tasks.props.pool import COLOURS, KINDS, POOL, PoolObject, add_pool_object
from tasks.props.solids import add_solid

SETTLED = 0.0026
FINGER_REACH = 0.009
PALM = 0.031
"""The fingertips end 9 mm below the grip site, the palm is 31 mm above it (measured on the robot's meshes)."""


def table(things: tuple[PoolObject, ...], spacing: float = 0.2) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    top = spec.worldbody.add_body(name="top", pos=[0, 0, -0.05])
    add_solid(top, "top", "box", (2, 2, 0.05), rgba=(1, 1, 1, 1), friction=(1, 0.005, 0.0001))
    for index, thing in enumerate(things):
        add_pool_object(spec, thing, (spacing * index, 0.0, 0.0), 0.7 * index)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@pytest.fixture(scope="module")
def pool() -> tuple[mujoco.MjModel, mujoco.MjData]:
    return table(POOL)


def test_there_are_eight_objects_of_four_kinds_in_two_colours() -> None:
    assert len({thing.name for thing in POOL}) == 8
    assert {thing.kind for thing in POOL} == {"mug", "can", "tin", "bottle"}
    for kind in KINDS:
        assert len({thing.colour for thing in POOL if thing.kind == kind} & set(COLOURS)) == 2


@pytest.mark.parametrize("thing", POOL, ids=lambda thing: thing.name)
def test_an_object_fills_its_bounding_box_over_its_origin(pool, thing: PoolObject) -> None:
    model, data = pool
    body = model.body(thing.name)
    geoms, at, axes = solids(model, body.id), data.xpos[body.id], data.xmat[body.id].reshape(3, 3).T
    low = [-reach(model, data, geoms, -axis) - axis @ at for axis in axes]
    high = [reach(model, data, geoms, axis) - axis @ at for axis in axes]
    size = np.array(thing.figures.size)
    # Round things are as wide as the mean of the reference's two widths.
    np.testing.assert_allclose(low, [-size[0] / 2, -size[1] / 2, 0], atol=0.0012)
    np.testing.assert_allclose(high, [size[0] / 2, size[1] / 2, size[2]], atol=0.0012)
    assert body.subtreemass[0] == pytest.approx(thing.figures.mass)


@pytest.mark.parametrize("thing", POOL, ids=lambda thing: thing.name)
def test_most_of_an_object_is_of_its_colour(pool, thing: PoolObject) -> None:
    model, _ = pool
    body = model.body(thing.name).id
    visual = [g for g in range(model.ngeom) if model.geom_bodyid[g] == body and model.geom_group[g] == 1]
    coloured = [g for g in visual if np.allclose(model.geom_rgba[g][:3], COLOURS[thing.colour], atol=1e-6)]
    height = {g: 2 * model.geom_size[g][1 if model.geom_type[g] == 5 else 2] for g in coloured}
    assert max(height.values()) > 0.3 * thing.figures.size[2]


@pytest.mark.parametrize("thing", POOL, ids=lambda thing: thing.name)
def test_the_hand_fits_round_the_anchor(pool, thing: PoolObject) -> None:
    """The pads have the thing between them, the palm stays above it, and the fingers do not reach the work top."""
    model, data = pool
    figures = thing.figures
    site = data.site_xpos[model.site(f"{thing.name}_grasp").id]
    assert figures.size[2] - figures.anchor[2] < PALM - 0.002
    assert site[2] > FINGER_REACH + 0.01
    held = 0.012 if thing.kind == "mug" else figures.size[0]
    assert held < 0.072


def test_they_settle_where_they_stand(pool) -> None:
    model, _ = pool
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    before = data.xpos.copy()
    mujoco.mj_step(model, data, 1000)
    for thing in POOL:
        body = model.body(thing.name).id
        assert np.linalg.norm(data.xpos[body] - before[body]) < SETTLED
        assert tilt(data, body) < 0.01
    assert data.ncon == 4 * len(POOL), "each stands on the four corners of its foot"


@pytest.mark.parametrize("kind", KINDS)
def test_they_right_themselves_after_a_knock(kind: str) -> None:
    """Leaning 6 degrees and dropped from 3 mm, as a hand lets go."""
    model, data = table((next(thing for thing in POOL if thing.kind == kind),))
    data.qpos[3:7] = [np.cos(0.052), 0, np.sin(0.052), 0]
    mujoco.mj_kinematics(model, data)
    data.qpos[2] += 0.003 - lowest(model, data, 2)
    mujoco.mj_step(model, data, 1000)
    assert tilt(data, 2) < 0.01


def test_a_mug_is_hollow_and_its_handle_open() -> None:
    model, data = table((PoolObject("mug", "red"),))
    body = model.body("mug_red").id
    solid = solids(model, body)
    down = np.array([0.0, 0.0, -1.0])

    def first_below(x: float, y: float) -> float:
        geom = np.zeros(1, np.int32)
        group = np.array([1, 0, 0, 0, 0, 0], np.uint8)
        gone = mujoco.mj_ray(model, data, np.array([x, y, 0.3]), down, group, 1, -1, geom)
        assert geom[0] in solid or model.geom(int(geom[0])).name == "top"
        return 0.3 - gone

    cup = 0.0393 - 0.115 / 2
    assert first_below(0.0, cup) < 0.01
    assert first_below(0.0, cup + 0.0373) == pytest.approx(0.0904, abs=1e-3)
    assert first_below(0.012, cup + 0.0393 + 0.012) == pytest.approx(0.0, abs=1e-6), "beside the handle"
    across = np.zeros(1, np.int32)
    group = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    through = np.array([0.3, cup + 0.0393 + 0.010, 0.05])
    assert mujoco.mj_ray(model, data, through, np.array([-1.0, 0, 0]), group, 1, -1, across) < 0, "through the handle"
