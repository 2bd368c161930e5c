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

from tasks.props.solids import add_collision, add_visual

ItemKind = Literal["candle", "tangerine", "tomato"]
DENSITY = 600.0
FRICTION = (2.0, 0.05, 0.002)
FOOT_HALF_HEIGHT = 0.002
WICK = 0.004
WICK_RGBA = (0.1, 0.1, 0.1, 1.0)
STALK_RGBA = (0.20, 0.45, 0.12, 1.0)


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
    contact = {"friction": FRICTION, "condim": 6, "rgba": shape.rgba}
    if shape.round:
        # The foot's rim lies inside the skin; its face is the lowest point of the body.
        outline, size = "ellipsoid", [shape.radius, shape.radius, half - 0.0005]
        foot = [0.45 * shape.radius, FOOT_HALF_HEIGHT]
        at = (0, 0, -half + FOOT_HALF_HEIGHT)
        mass = DENSITY * 4 / 3 * pi * size[0] * size[1] * size[2]
        add_collision(body, "item_foot", "cylinder", foot, mass=0.002, pos=at, **contact)
    else:
        outline, size = "cylinder", [shape.radius, half]
        mass = DENSITY * pi * shape.radius**2 * shape.height
    add_collision(body, "item_body", outline, size, mass=mass, **contact)
    if kind == "candle":
        wax = [shape.radius, half - WICK]
        add_visual(body, "item", outline, wax, pos=(0, 0, -WICK), rgba=shape.rgba)
        add_visual(body, "item_wick", "cylinder", [0.0015, WICK], pos=(0, 0, half - WICK), rgba=WICK_RGBA)
    else:
        stalk = [0.012 if kind == "tomato" else 0.005, 0.001]
        add_visual(body, "item", outline, size, rgba=shape.rgba)
        add_visual(body, "item_stalk", "cylinder", stalk, pos=(0, 0, half - 0.002), rgba=STALK_RGBA)
    body.add_site(name="item_site", size=[0.002] * 3, rgba=[0, 0, 0, 0])
