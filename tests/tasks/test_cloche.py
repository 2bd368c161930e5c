"""Cloches: sizes, what fits under them, that they stand still over things and hide them from above."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tasks.props.cloche import LARGE, SMALL, Cloche, add_cloche
from tasks.props.extent import reach, solids, tilt
from tasks.props.pool import KINDS, POOL, PoolObject, add_pool_object
from tasks.props.solids import add_solid

SIZES = pytest.mark.parametrize("cloche", [LARGE, SMALL], ids=["large", "small"])


def covered(cloche: Cloche, thing: PoolObject | None = None) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.002
    add_solid(
        spec.worldbody, "top", "box", (2, 2, 0.05), pos=(0, 0, -0.05), rgba=(1, 1, 1, 1), friction=(1, 0.005, 1e-4)
    )
    if thing:
        add_pool_object(spec, thing, (0.0, 0.0, 0.0), 0.7)
    add_cloche(spec, cloche, (0.0, 0.0, 0.0), 0.2)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


@SIZES
def test_sizes_and_mass(cloche: Cloche) -> None:
    model, data = covered(cloche)
    body = model.body("cloche").id
    geoms = solids(model, body)
    assert reach(model, data, geoms, np.array([0.0, 0.0, 1.0])) == pytest.approx(cloche.height)
    assert reach(model, data, geoms, np.array([0.0, 0.0, -1.0])) == pytest.approx(0.0, abs=1e-9)
    assert cloche.radius <= reach(model, data, geoms, np.array([1.0, 0.0, 0.0])) < 1.03 * cloche.radius
    assert model.body_subtreemass[body] == pytest.approx(cloche.mass + 0.02, abs=1e-3)
    np.testing.assert_allclose(data.site("cloche_knob").xpos, [0, 0, cloche.pinch], atol=1e-9)


def test_what_fits_under_which() -> None:
    """Whatever may hide under a cover fits under the large one, and only that (tasks.md 8.1: cover fit +.01)."""
    for figures in KINDS.values():
        assert LARGE.fits(figures.size) == ("covered" in figures.hides_in)
    assert not any(SMALL.fits(figures.size) for figures in KINDS.values())


@SIZES
def test_the_inner_radius_is_that_of_the_walls(cloche: Cloche) -> None:
    model, data = covered(cloche)
    walls = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    hit = np.zeros(1, np.int32)
    for height in (0.01, 0.4 * cloche.depth, 0.7 * cloche.depth, 0.9 * cloche.depth):
        free = [
            mujoco.mj_ray(
                model,
                data,
                np.array([0.0, 0.0, height]),
                np.array([np.cos(angle), np.sin(angle), 0.0]),
                walls,
                1,
                -1,
                hit,
            )
            for angle in np.linspace(0, 2 * np.pi, 90)
        ]
        assert min(free) - 0.006 < cloche.inner_radius(height) <= min(free) + 1e-4
        assert max(free) < 1.05 * cloche.radius, "no gaps"
    assert cloche.inner_radius(cloche.depth) == 0.0


@pytest.mark.parametrize(
    "thing", [t for t in POOL[::2] if "covered" in t.figures.hides_in], ids=lambda thing: thing.kind
)
def test_a_cover_stands_still_and_does_not_touch_what_it_hides(thing: PoolObject) -> None:
    model, data = covered(LARGE, thing)
    names = (thing.name, "cloche")
    before = {name: data.body(name).xpos.copy() for name in names}
    mujoco.mj_step(model, data, 1000)
    for name in names:
        assert np.linalg.norm(data.body(name).xpos - before[name]) < 0.0026
        assert tilt(data, model.body(name).id) < 0.01
    pairs = {frozenset(model.geom_bodyid[c.geom].tolist()) for c in data.contact}
    assert pairs == {frozenset({0, model.body(name).id}) for name in (thing.name, "cloche_skids")}
    assert data.ncon <= 8


@pytest.mark.parametrize("lean", [np.pi / 2, 2.0, np.pi])
def test_a_fallen_cover_lies_on_the_top(lean: float) -> None:
    model, data = covered(LARGE)
    data.joint("cloche_joint").qpos[2:] = [0.16, np.cos(lean / 2), np.sin(lean / 2), 0, 0]
    mujoco.mj_step(model, data, 1000)
    lowest = -reach(model, data, solids(model, model.body("cloche").id), np.array([0.0, 0.0, -1.0]))
    assert -0.006 < lowest < 0.002
    assert np.abs(data.joint("cloche_joint").qvel).max() < 0.3


@SIZES
def test_nothing_shows_through(cloche: Cloche) -> None:
    """From wherever the robot's cameras look, a ray to the inside meets the dome first."""
    model, data = covered(cloche)
    visual = np.array([0, 1, 0, 0, 0, 0], np.uint8)
    hit = np.zeros(1, np.int32)
    body = model.body("cloche").id
    rng = np.random.default_rng(0)
    for azimuth, height in zip(np.linspace(0, 2 * np.pi, 200), np.linspace(0.1, 2.0, 200), strict=True):
        eye = np.array([0.9 * np.cos(azimuth), 0.9 * np.sin(azimuth), height])
        inside = rng.uniform((-0.04, -0.04, 0.003), (0.04, 0.04, 0.8 * cloche.depth))
        assert mujoco.mj_ray(model, data, eye, inside - eye, visual, 1, -1, hit) < 1.0
        assert model.geom_bodyid[hit[0]] == body
