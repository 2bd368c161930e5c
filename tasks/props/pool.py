"""The search pool: a mug, a can, a tin and a water bottle, each in two colours (figures: tasks.md 8.1).

Parametric stand-ins for RoboCasa's models of the same sizes. The body's origin is the middle of the bounding box's
underside, z up; site `<name>_grasp` is where the grip site goes in a grasp from above.

Changed from the reference, and why:
* The mug is held by the bar of its handle (the reference's bar of its wide cup: 12 x 14 mm at r + 29 mm), as its body
  is as wide as the fingers open; the anchor's height is the reference's.
* Masses are those of household things (a full 330 ml can, a 400 g tin, a full 0.25 l bottle, a light stoneware mug);
  the reference keeps those of RoboCasa's models without giving them.
* Can and bottle are round: as wide as the mean of the reference's two widths.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, sin

import mujoco

from tasks.props.shapes import Part, Rgb, add_parts, foot, panels, upright

COLOURS: dict[str, Rgb] = {
    "blue": (0.10, 0.25, 0.85),
    "red": (0.85, 0.12, 0.10),
    "green": (0.12, 0.65, 0.20),
    "yellow": (0.92, 0.80, 0.10),
}
METAL: Rgb = (0.78, 0.79, 0.80)
WHITE: Rgb = (0.93, 0.93, 0.92)
DARK: Rgb = (0.25, 0.26, 0.28)
FRICTION = (1.0, 0.01, 0.0002)
FOOT = 0.002
MUG_RADIUS = 0.0393
MUG_WALL = 0.004
MUG_SIDES = 16
HANDLE_HALF = (0.006, 0.007)
"""Half the handle bar's thickness along and across the fingers, m."""
HANDLE_OUT = 0.0294
"""From the mug's outer wall to the middle of the handle bar, m."""


@dataclass(frozen=True)
class PoolKind:
    """One kind of pool object.

    Attributes:
        noun: what people call it.
        size: bounding box x, y, z, m.
        mass: kg.
        colours: names of `COLOURS`; one object each.
        hides_in: the kinds of places that may hold it.
        anchor: the grip site of a grasp from above, in the body's frame, m.
        round: whether it may be pinched from any side; otherwise the fingers open along the body's x axis.
        parts: what it is made of, in a colour.
    """

    noun: str
    size: tuple[float, float, float]
    mass: float
    colours: tuple[str, str]
    hides_in: tuple[str, ...]
    anchor: tuple[float, float, float]
    round: bool
    parts: Callable[[Rgb], list[Part]]


@dataclass(frozen=True)
class PoolObject:
    """A kind in a colour; `name` is its body's."""

    kind: str
    colour: str

    @property
    def name(self) -> str:
        """E.g. "can_red"."""
        return f"{self.kind}_{self.colour}"

    @property
    def figures(self) -> PoolKind:
        """The kind's sizes."""
        return KINDS[self.kind]


def _mug(rgb: Rgb) -> list[Part]:
    height = KINDS["mug"].size[2]
    centre = (0.0, MUG_RADIUS - KINDS["mug"].size[1] / 2)
    bar = centre[1] + MUG_RADIUS + HANDLE_OUT
    inner = centre[1] + MUG_RADIUS - MUG_WALL / 2
    arm = (HANDLE_HALF[0], (bar - inner) / 2, 0.005)
    low, high = 0.016, height - 0.006
    return [
        foot(MUG_RADIUS, FOOT, rgb, centre),
        Part("cylinder", (MUG_RADIUS - 0.001, 0.0025), rgb, (*centre, FOOT + 0.0025)),
        *panels((MUG_RADIUS, FOOT), (MUG_RADIUS, height), MUG_WALL, MUG_SIDES, rgb, centre),
        Part("box", (*HANDLE_HALF, (high - low) / 2), rgb, (0.0, bar, (low + high) / 2)),
        Part("box", arm, rgb, (0.0, (bar + inner) / 2, low + 0.005)),
        Part("box", arm, rgb, (0.0, (bar + inner) / 2, high - 0.005)),
    ]


def _can(rgb: Rgb) -> list[Part]:
    radius, height = 0.0295, KINDS["can"].size[2]
    return [
        foot(0.85 * radius, FOOT, METAL),
        upright("cylinder", 0.88 * radius, FOOT, 0.008, METAL),
        upright("cylinder", radius, 0.008, height - 0.009, rgb),
        upright("cylinder", 0.93 * radius, height - 0.009, height - 0.004, METAL),
        upright("cylinder", 0.85 * radius, height - 0.004, height - 0.001, METAL),
        Part("box", (0.005, 0.010, 0.0005), DARK, (0.0, 0.004, height - 0.0005)),
    ]


def _tin(rgb: Rgb) -> list[Part]:
    radius, height, rim, band = 0.034, KINDS["tin"].size[2], 0.006, 0.012
    middle = height / 2
    return [
        foot(0.95 * radius, FOOT, METAL),
        upright("cylinder", radius, FOOT, rim, METAL),
        upright("cylinder", radius - 0.001, rim, middle - band, rgb),
        upright("cylinder", radius - 0.0005, middle - band, middle - band + 0.003, WHITE),
        upright("cylinder", radius - 0.001, middle - band + 0.003, height - rim, rgb),
        upright("cylinder", radius, height - rim, height - 0.002, METAL),
        upright("cylinder", 0.92 * radius, height - 0.002, height, DARK),
    ]


def _bottle(rgb: Rgb) -> list[Part]:
    radius, height, neck = 0.025, KINDS["bottle"].size[2], 0.115
    return [
        foot(0.95 * radius, FOOT, rgb),
        upright("cylinder", radius, FOOT, neck, rgb),
        upright("ellipsoid", radius, neck - 0.010, neck + 0.010, rgb),
        upright("cylinder", 0.013, neck + 0.003, neck + 0.010, WHITE),
        upright("cylinder", 0.016, neck + 0.009, height, WHITE),
    ]


KINDS: dict[str, PoolKind] = {
    "mug": PoolKind(
        "mug",
        (0.0786, 0.115, 0.0904),
        0.26,
        ("blue", "red"),
        ("drawer", "open", "covered"),
        (0.0, 2 * MUG_RADIUS + HANDLE_OUT - 0.115 / 2, 0.0904 / 2 + 0.028),
        False,
        _mug,
    ),
    "can": PoolKind(
        "can",
        (0.060, 0.058, 0.111),
        0.35,
        ("red", "green"),
        ("drawer", "door", "open", "covered"),
        (0.0, 0.0, 0.111 / 2 + 0.038),
        True,
        _can,
    ),
    "tin": PoolKind(
        "tin",
        (0.068, 0.068, 0.0958),
        0.40,
        ("green", "yellow"),
        ("drawer", "door", "open", "covered"),
        (0.0, 0.0, 0.0958 / 2 + 0.032),
        True,
        _tin,
    ),
    "bottle": PoolKind(
        "water bottle",
        (0.048, 0.052, 0.135),
        0.28,
        ("yellow", "blue"),
        ("door", "open"),
        (0.0, 0.0, 0.135 / 2 + 0.040),
        True,
        _bottle,
    ),
}
POOL = tuple(PoolObject(kind, colour) for kind, figures in KINDS.items() for colour in figures.colours)
"""The eight objects, in a fixed order."""


def add_pool_object(spec: mujoco.MjSpec, thing: PoolObject, position: Sequence[float], yaw: float) -> None:
    """Adds the free body `thing.name` (joint `<name>_joint`), standing upright.

    Args:
        position: world point (3,) under the middle of its underside, m. yaw: rad.
    """
    figures = thing.figures
    body = spec.worldbody.add_body(name=thing.name, pos=position, quat=[cos(yaw / 2), 0, 0, sin(yaw / 2)])
    body.add_freejoint(name=f"{thing.name}_joint")
    parts = figures.parts(COLOURS[thing.colour])
    # The fingers' own contact is so soft that a thing creeps out of the hand while it is carried through a kitchen.
    add_parts(body, thing.name, parts, figures.mass, friction=FRICTION, priority=1)
    body.add_site(name=f"{thing.name}_grasp", pos=figures.anchor, size=[0.002] * 3, rgba=[0, 0, 0, 0])
