"""Cloches: domes with a knob that are lifted off what they hide (figures: tasks.md 4).

The body's origin is the middle of the rim, z up. Site `<name>_knob` is where the grip site pinches the knob.

Changed from the reference: the knob's shaft is 28 mm long and pinched 15 mm above the dome instead of 20 and 12.5, so
that the pads (4 mm below to 12 mm above the grip site) lie on the shaft alone and the fingertips clear the dome.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, hypot, sin

import mujoco
import numpy as np

from tasks.props.shapes import Part, Rgb, add_parts, panels, upright
from tasks.props.solids import add_collision

WALL = 0.004
STEEL: Rgb = (0.72, 0.74, 0.77)
KNOB: Rgb = (0.16, 0.14, 0.13)
RIM_FRICTION = (1.0, 0.005, 0.0001)
KNOB_FRICTION = (1.0, 0.01, 0.0001)
SHAFT = (0.010, 0.028)
CAP = (0.0125, 0.005)
KNOB_MASS = 0.02
PINCH = 0.015
"""Height of the grip site over the top of the dome, m."""
FIT_CLEARANCE = 0.01
PROFILE = ((1.0, 0.0), (1.0, 0.51), (0.93, 0.74), (0.76, 0.90), (0.50, 0.985))
"""Outer shape of the dome from the rim up: shares of the radius and of the depth."""
FEET = 4
FOOT = 0.002
"""The rim stands on balls of this radius, m, one contact each."""
FENDERS = 12
"""Balls around the rim and the shoulder, for a cover that has fallen over."""
SKID_MASS = 1e-5


@dataclass(frozen=True)
class Cloche:
    """A size of cloche.

    Attributes:
        radius: outer radius of the rim, m. depth: height of the dome over the rim, m.
        sides: number of wall boxes. mass: of the dome without its knob, kg.
    """

    radius: float
    depth: float
    sides: int
    mass: float

    @property
    def pinch(self) -> float:
        """Height of the pinch point over the rim, m."""
        return self.depth + PINCH

    @property
    def height(self) -> float:
        """Over all, m."""
        return self.depth + SHAFT[1] + CAP[1]

    def inner_radius(self, height: float) -> float:
        """A radius that is clear at a height over the rim, m; 0 above the dome."""
        if height > self.depth - WALL:
            return 0.0
        radii, heights = zip(*PROFILE, strict=True)
        sides = cos(np.pi / self.sides)  # the flat of a panel is nearer than its corner
        outer = float(np.interp((height + WALL) / self.depth, heights, radii)) * self.radius
        return sides * (outer - WALL)

    def fits(self, size: Sequence[float]) -> bool:
        """Whether a thing of that bounding box (3,) m, in the middle, has FIT_CLEARANCE all round and above."""
        return hypot(size[0] / 2, size[1] / 2) + FIT_CLEARANCE <= self.inner_radius(size[2] + FIT_CLEARANCE)


LARGE = Cloche(0.110, 0.130, 20, 0.38)
SMALL = Cloche(0.080, 0.100, 16, 0.30)


def add_cloche(
    spec: mujoco.MjSpec, cloche: Cloche, position: Sequence[float], yaw: float = 0.0, name: str = "cloche"
) -> None:
    """Adds the free body `name` (joint `<name>_joint`), standing over whatever is at `position`.

    Args:
        position: world point (3,) on the work top under the middle of the rim, m. yaw: rad.
    """
    body = spec.worldbody.add_body(name=name, pos=position, quat=[cos(yaw / 2), 0, 0, sin(yaw / 2)])
    body.add_freejoint(name=f"{name}_joint")
    add_parts(body, name, _dome(cloche), cloche.mass, friction=RIM_FRICTION)
    top = cloche.depth
    knob = [
        upright("cylinder", SHAFT[0], top, top + SHAFT[1], KNOB),
        upright("cylinder", CAP[0], top + SHAFT[1], top + SHAFT[1] + CAP[1], KNOB),
    ]
    add_parts(body, f"{name}_knob", knob, KNOB_MASS, friction=KNOB_FRICTION)
    body.add_site(name=f"{name}_knob", pos=[0, 0, cloche.pinch], size=[0.002] * 3, rgba=[0, 0, 0, 0])
    # Eighty walls against all of the furniture would be most of the cost of a step. Only the skids meet it.
    skids = body.add_body(name=f"{name}_skids")
    for index, (at, radius) in enumerate(_skids(cloche)):
        look = {"rgba": (*STEEL, 1.0), "mass": SKID_MASS, "friction": RIM_FRICTION}
        add_collision(skids, f"{name}_skid_{index}", "sphere", (radius,), pos=at, **look)
    spec.add_exclude(bodyname1=name, bodyname2="world")


def _dome(cloche: Cloche) -> list[Part]:
    outline = [(r * cloche.radius, z * cloche.depth) for r, z in PROFILE]
    outline[0] = (outline[0][0], FOOT)
    parts: list[Part] = []
    for low, high in itertools.pairwise(outline):
        parts += panels(low, high, WALL, cloche.sides, STEEL)
    top = upright("cylinder", outline[-1][0], cloche.depth - WALL, cloche.depth, STEEL)
    return [*parts, top]


def _skids(cloche: Cloche) -> list[tuple[tuple[float, ...], float]]:
    """Balls (centre and radius, m) under the rim, round every edge of the dome, and in the cap of the knob."""
    rings = [(FEET, cloche.radius, FOOT), (FENDERS, cloche.radius, 10 * FOOT)]
    rings += [(FENDERS, share * cloche.radius, height * cloche.depth) for share, height in PROFILE[1:-1]]
    at = [
        ((radius - WALL / 2) * cos(2 * np.pi * k / count), (radius - WALL / 2) * sin(2 * np.pi * k / count), height)
        for count, radius, height in rings
        for k in range(count)
    ]
    balls = [(tuple(map(float, point)), FOOT) for point in at]
    return [*balls, ((0.0, 0.0, cloche.height - CAP[0]), CAP[0])]
