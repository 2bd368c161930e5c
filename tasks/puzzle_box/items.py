"""What lies in the cavity: a candle, a tangerine or a tomato, made of primitives.

Plan at most 64 mm and height 30-62 mm, so that fingers reach down both sides between the cavity walls (reference
section 8.9). Each stands on a small flat foot; without it an ellipsoid creeps on its single contact point.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import Literal

import mujoco

from tasks.props.solids import SOLIMP, SOLREF

ItemKind = Literal["candle", "tangerine", "tomato"]
DENSITY = 600.0
FRICTION = (2.0, 0.05, 0.002)


FOOT_HALF_HEIGHT = 0.002


@dataclass(frozen=True)
class ItemShape:
    """Radius and full height (m), colour RGBA, and whether it is an ellipsoid or an upright cylinder."""

    radius: float
    height: float
    rgba: tuple[float, float, float, float]
    round: bool = True


ITEMS: dict[ItemKind, ItemShape] = {
    "candle": ItemShape(0.022, 0.058, (0.95, 0.90, 0.78, 1.0), round=False),
    "tangerine": ItemShape(0.028, 0.046, (0.95, 0.50, 0.08, 1.0)),
    "tomato": ItemShape(0.030, 0.050, (0.80, 0.10, 0.07, 1.0)),
}


def add_item(spec: mujoco.MjSpec, kind: ItemKind, pos: Sequence[float]) -> None:
    """Adds the free body `item` (joint `item_joint`) with the middle of its foot at world `pos` (m)."""
    shape = ITEMS[kind]
    half = shape.height / 2
    body = spec.worldbody.add_body(name="item", pos=[pos[0], pos[1], pos[2] + half])
    body.add_freejoint(name="item_joint")
    contact = {"friction": FRICTION, "solref": SOLREF, "solimp": SOLIMP, "condim": 6, "group": 0}
    if shape.round:
        # The foot's rim lies inside the skin; its face is the lowest point of the body.
        size = [shape.radius, shape.radius, half - 0.0005]
        foot = [0.45 * shape.radius, FOOT_HALF_HEIGHT, 0.0]
        kind_of_geom = mujoco.mjtGeom.mjGEOM_ELLIPSOID
        mass = DENSITY * 4 / 3 * pi * size[0] * size[1] * size[2]
        body.add_geom(
            name="item_foot",
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=foot,
            mass=0.002,
            pos=[0, 0, -half + FOOT_HALF_HEIGHT],
            **contact,
        )
    else:
        size = [shape.radius, half, 0.0]
        kind_of_geom = mujoco.mjtGeom.mjGEOM_CYLINDER
        mass = DENSITY * pi * shape.radius**2 * shape.height
    body.add_geom(name="item_body", type=kind_of_geom, size=size, mass=mass, **contact)
    _add_looks(body, kind, kind_of_geom, size)
    body.add_site(name="item_site", size=[0.002] * 3, rgba=[0, 0, 0, 0])


def _add_looks(body: mujoco.MjsBody, kind: ItemKind, geom: mujoco.mjtGeom, size: list[float]) -> None:
    shape = ITEMS[kind]
    visual = {"contype": 0, "conaffinity": 0, "mass": 0.0, "group": 1}
    half = shape.height / 2
    if kind == "candle":
        wax, wick = half - 0.004, 0.004
        body.add_geom(
            name="item_vis", type=geom, size=[shape.radius, wax, 0], pos=[0, 0, -0.004], rgba=shape.rgba, **visual
        )
        body.add_geom(
            name="item_wick_vis",
            type=geom,
            size=[0.0015, wick, 0],
            pos=[0, 0, half - wick],
            rgba=[0.1, 0.1, 0.1, 1],
            **visual,
        )
        return
    body.add_geom(name="item_vis", type=geom, size=size, rgba=shape.rgba, **visual)
    stalk = (0.20, 0.45, 0.12, 1.0)
    radius = 0.012 if kind == "tomato" else 0.005
    body.add_geom(
        name="item_stalk_vis",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[radius, 0.001, 0],
        pos=[0, 0, half - 0.002],
        rgba=stalk,
        **visual,
    )
