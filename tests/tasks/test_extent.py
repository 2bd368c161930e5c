"""How far props reach, against points sampled on their surface."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tasks.props.extent import UnknownExtent, lowest, reach, solids, tilt
from tasks.props.solids import add_solid

QUAT = np.array([0.8, 0.3, -0.4, 0.3]) / np.linalg.norm([0.8, 0.3, -0.4, 0.3])


def standing(shape: str, size: tuple[float, ...]) -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="thing", pos=[0.3, -0.2, 0.9], quat=QUAT)
    body.add_freejoint()
    add_solid(body, "thing", shape, size, rgba=(1, 1, 1, 1))
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    return model, data


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ("box", (0.02, 0.05, 0.03)),
        ("cylinder", (0.02, 0.05)),
        ("capsule", (0.02, 0.05)),
        ("sphere", (0.03,)),
        ("ellipsoid", (0.02, 0.04, 0.06)),
    ],
)
def test_reach_is_that_of_the_furthest_point_of_the_surface(shape: str, size: tuple[float, ...]) -> None:
    model, data = standing(shape, size)
    geoms = solids(model, model.body("thing").id)
    assert {model.geom(g).name for g in geoms} == {"thing"}
    inside = _cloud(shape, size) @ data.xmat[1].reshape(3, 3).T + data.xpos[1]
    for direction in np.random.default_rng(0).normal(size=(12, 3)):
        unit = direction / np.linalg.norm(direction)
        assert reach(model, data, geoms, unit) == pytest.approx((inside @ unit).max(), abs=6e-4)
    assert lowest(model, data, 1) == pytest.approx(inside[:, 2].min(), abs=6e-4)


def _cloud(shape: str, size: tuple[float, ...]) -> np.ndarray:
    """Many points of the surface, body frame."""
    sphere = np.random.default_rng(1).normal(size=(200_000, 3))
    sphere /= np.linalg.norm(sphere, axis=1, keepdims=True)
    if shape == "box":
        return np.sign(sphere) * size
    if shape == "cylinder":
        ring = sphere[:, :2] / np.linalg.norm(sphere[:, :2], axis=1, keepdims=True)
        return np.column_stack([ring * size[0], np.sign(sphere[:, 2]) * size[1]])
    if shape == "capsule":
        return sphere * size[0] + np.sign(sphere[:, 2:]) * [0, 0, size[1]]
    return sphere * (size if shape == "ellipsoid" else size[0])


def test_tilt_is_the_angle_of_the_z_axis() -> None:
    _, data = standing("box", (0.01, 0.01, 0.01))
    assert np.cos(tilt(data, 1)) == pytest.approx(1 - 2 * (QUAT[1] ** 2 + QUAT[2] ** 2))


def test_a_plane_has_no_reach() -> None:
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    model = spec.compile()
    data = mujoco.MjData(model)
    with pytest.raises(UnknownExtent, match="floor"):
        reach(model, data, [0], np.array([0.0, 0.0, 1.0]))
