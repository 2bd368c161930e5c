"""How far the solid geoms of a prop reach: its lowest point, its plan, how upright it stands."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from sim.contact import subtree


class UnknownExtent(ValueError):
    """A geom type whose reach is not known here."""


def solids(model: mujoco.MjModel, body: int) -> frozenset[int]:
    """The geoms of a body, and of all bodies below it, that can touch something."""
    return frozenset(g for g in subtree(model, body) if model.geom_contype[g] or model.geom_conaffinity[g])


def reach(model: mujoco.MjModel, data: mujoco.MjData, geoms: Iterable[int], direction: np.ndarray) -> float:
    """Largest coordinate of the geoms along a unit world direction (3,), m: max over points p of direction . p."""
    direction = np.asarray(direction, float)
    return max(
        float(direction @ data.geom_xpos[g]) + _support(model, g, data.geom_xmat[g].reshape(3, 3).T @ direction)
        for g in geoms
    )


def lowest(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> float:
    """World height of the lowest solid point of a body, m."""
    return -reach(model, data, solids(model, body), np.array([0.0, 0.0, -1.0]))


def tilt(data: mujoco.MjData, body: int) -> float:
    """Angle of a body's z axis to the vertical, rad; at most 15 degrees count as upright (tasks.md 2.5)."""
    return float(np.arccos(np.clip(data.xmat[body][8], -1.0, 1.0)))


def _support(model: mujoco.MjModel, geom: int, local: np.ndarray) -> float:
    size, kind = model.geom_size[geom], model.geom_type[geom]
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return float(np.abs(local) @ size)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return float(size[0] * np.hypot(local[0], local[1]) + size[1] * abs(local[2]))
    if kind == mujoco.mjtGeom.mjGEOM_CAPSULE:
        return float(size[0] + size[1] * abs(local[2]))
    if kind == mujoco.mjtGeom.mjGEOM_SPHERE:
        return float(size[0])
    if kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        return float(np.linalg.norm(size * local))
    raise UnknownExtent(f"geom {model.geom(geom).name} is of a type whose reach is not known")
