"""Parts of props: volumes, masses, feet and rings of panels."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tasks.props.shapes import Part, add_parts, foot, panels, upright

GREY = (0.5, 0.5, 0.5)


def built(parts: list[Part], mass: float) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="thing")
    body.add_freejoint()
    add_parts(body, "thing", parts, mass, friction=(1, 0.01, 0.001))
    return spec.compile()


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ("box", (0.01, 0.02, 0.03)),
        ("cylinder", (0.02, 0.05)),
        ("capsule", (0.02, 0.05)),
        ("ellipsoid", (0.1, 0.2, 0.3)),
    ],
)
def test_volumes_are_those_of_mujoco(shape: str, size: tuple[float, ...]) -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="thing")
    kind = getattr(mujoco.mjtGeom, f"mjGEOM_{shape.upper()}")
    body.add_geom(type=kind, size=[*size, 0, 0][:3], density=1000)
    assert Part(shape, size, GREY).volume == pytest.approx(spec.compile().body("thing").mass[0] / 1000)


def test_a_shape_without_a_volume_is_refused() -> None:
    with pytest.raises(ValueError, match="plane"):
        _ = Part("plane", (1.0, 1.0), GREY).volume


def test_parts_weigh_what_they_should_together_and_are_of_one_density() -> None:
    parts = [Part("box", (0.01, 0.01, 0.01), GREY), Part("box", (0.01, 0.01, 0.03), GREY, (0.1, 0.0, 0.0))]
    model = built(parts, 0.4)
    assert model.body("thing").mass[0] == pytest.approx(0.4)
    assert model.body("thing").ipos[0] == pytest.approx(0.075)
    assert {model.geom(g).name for g in range(model.ngeom)} == {
        "thing_0",
        "thing_0_visual",
        "thing_1",
        "thing_1_visual",
    }


def test_upright_and_foot_stand_where_they_are_told() -> None:
    post = upright("cylinder", 0.02, 0.01, 0.05, GREY)
    assert (post.size, post.pos) == ((0.02, 0.02), (0.0, 0.0, pytest.approx(0.03)))
    assert upright("ellipsoid", 0.02, 0.01, 0.05, GREY).size == (0.02, 0.02, 0.02)
    plate = foot(0.03, 0.002, GREY, (0.1, 0.2))
    assert np.hypot(*plate.size[:2]) == pytest.approx(0.03)
    assert plate.pos[2] - plate.size[2] == pytest.approx(0.0)
    assert plate.pos[:2] == (0.1, 0.2)


@pytest.mark.parametrize("low", [0.10, 0.13])
def test_a_ring_of_panels_has_the_outer_radius_and_no_gaps(low: float) -> None:
    """The outer face of every panel touches the cone, and neighbours meet."""
    count, wall = 12, 0.004
    model = built(panels((low, 0.0), (0.10, 0.05), wall, count, GREY, centre=(0.2, 0.0)), 0.1)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    solid = [g for g in range(model.ngeom) if model.geom_group[g] == 0]
    assert len(solid) == count
    for g in solid:
        turn, half = data.geom_xmat[g].reshape(3, 3), model.geom_size[g]
        outer = data.geom_xpos[g] + turn[:, 0] * half[0] - [0.2, 0.0, 0.0]
        assert np.hypot(*outer[:2]) == pytest.approx((low + 0.10) / 2, abs=1e-6)
        ends = [outer + sign * turn[:, 2] * half[2] for sign in (-1, 1)]
        assert [np.hypot(*end[:2]) for end in ends] == pytest.approx([low, 0.10], abs=1e-6)
        assert [end[2] for end in ends] == pytest.approx([0.0, 0.05], abs=1e-6)
        assert half[1] >= low * np.tan(np.pi / count) - 1e-9
