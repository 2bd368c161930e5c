"""Solid parts of props: a collision geom that carries the mass (group 0) and a visual twin without mass (group 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco

SOLREF = (0.006, 1)
SOLIMP = (0.98, 0.999, 0.001, 0.5, 2)
"""House contact convention (tasks.md 2.5): stiffer contacts throw props off counter seams."""

_TYPES = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "ellipsoid": mujoco.mjtGeom.mjGEOM_ELLIPSOID,
}


def add_solid(
    body: mujoco.MjsBody,
    name: str,
    shape: str,
    size: Sequence[float],
    *,
    rgba: Sequence[float],
    pos: Sequence[float] = (0, 0, 0),
    quat: Sequence[float] = (1, 0, 0, 0),
    **contact: Any,
) -> None:
    """Adds `name` (collision) and `name_visual` to a body.

    Args:
        shape: box, cylinder, capsule, sphere or ellipsoid; `size` as MuJoCo reads it (half lengths, m).
        quat: wxyz, as all that stands next to MuJoCo.
        contact: mass and contact, as `add_collision` takes them.
    """
    add_collision(body, name, shape, size, rgba=rgba, pos=pos, quat=quat, **contact)
    add_visual(body, name, shape, size, rgba=rgba, pos=pos, quat=quat)


def add_collision(
    body: mujoco.MjsBody,
    name: str,
    shape: str,
    size: Sequence[float],
    *,
    rgba: Sequence[float],
    pos: Sequence[float] = (0, 0, 0),
    quat: Sequence[float] = (1, 0, 0, 0),
    mass: float | None = None,
    density: float = 1000.0,
    friction: Sequence[float] = (0.8, 0.005, 0.0001),
    condim: int = 3,
    priority: int = 0,
    contype: int = 1,
    conaffinity: int = 1,
) -> None:
    """Adds the collision geom `name` alone.

    Args:
        mass: kg; otherwise from the density, kg/m^3.
        condim: contact dimension; 4 adds torsional, 6 rolling friction.
        priority: of two geoms in contact, friction and stiffness are those of the one with the higher.
    """
    solid = body.add_geom(
        name=name,
        type=_TYPES[shape],
        size=[*size, 0, 0][:3],
        pos=pos,
        quat=quat,
        group=0,
        contype=contype,
        conaffinity=conaffinity,
        condim=condim,
        priority=priority,
        friction=friction,
        solref=SOLREF,
        solimp=SOLIMP,
        rgba=rgba,
    )
    if mass is None:
        solid.density = density
    else:
        solid.mass = mass


def add_visual(
    body: mujoco.MjsBody,
    name: str,
    shape: str,
    size: Sequence[float],
    *,
    rgba: Sequence[float],
    pos: Sequence[float] = (0, 0, 0),
    quat: Sequence[float] = (1, 0, 0, 0),
) -> None:
    """Adds the visual geom `name_visual` alone."""
    body.add_geom(
        name=f"{name}_visual",
        type=_TYPES[shape],
        size=[*size, 0, 0][:3],
        pos=pos,
        quat=quat,
        group=1,
        contype=0,
        conaffinity=0,
        mass=0,
        rgba=rgba,
    )
