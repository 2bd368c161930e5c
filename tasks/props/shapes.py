"""Props as lists of parts: primitives that together weigh a given mass, and round shells out of flat panels.

MuJoCo gives a cylinder or an ellipsoid on a box one contact point, on which it creeps and rolls; a box gets four. So
round things stand on a square `foot`, and hollow ones have walls of boxes (tasks.md 2.5: never convex hulls).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from tasks.props.solids import add_solid

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class Part:
    """One primitive of a prop, in the frame of its body.

    Attributes:
        shape, size: as `add_solid` reads them (half lengths, m).
        pos: (3,), m. quat: wxyz, as all that stands next to MuJoCo.
        condim: contact dimension. 4 adds torsional friction: a pad touches a round thing in one point, about which it
            would swing. What rests on several points does without, at three quarters of the cost.
    """

    shape: str
    size: tuple[float, ...]
    rgb: Rgb
    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    quat: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    condim: int = 4

    @property
    def volume(self) -> float:
        """m^3."""
        if self.shape == "box":
            return 8 * float(np.prod(self.size))
        if self.shape == "cylinder":
            return 2 * np.pi * self.size[0] ** 2 * self.size[1]
        if self.shape == "capsule":
            return np.pi * self.size[0] ** 2 * (2 * self.size[1] + 4 / 3 * self.size[0])
        if self.shape == "ellipsoid":
            return 4 / 3 * np.pi * float(np.prod(self.size))
        raise ValueError(f"the volume of a {self.shape!r} is not known")


def add_parts(
    body: mujoco.MjsBody,
    prefix: str,
    parts: Iterable[Part],
    mass: float,
    *,
    friction: Sequence[float],
    priority: int = 0,
) -> None:
    """Adds solids `prefix_0`, `prefix_1` ... of one density that weigh `mass` (kg) together.

    Args:
        friction, priority: see `add_collision`.
    """
    parts = list(parts)
    density = mass / sum(part.volume for part in parts)
    for index, part in enumerate(parts):
        add_solid(
            body,
            f"{prefix}_{index}",
            part.shape,
            part.size,
            rgba=(*part.rgb, 1.0),
            pos=part.pos,
            quat=part.quat,
            mass=density * part.volume,
            friction=friction,
            condim=part.condim,
            priority=priority,
        )


def upright(shape: str, radius: float, bottom: float, top: float, rgb: Rgb) -> Part:
    """A cylinder about the z axis between two heights, m; for an ellipsoid, one that just fits in it."""
    half = (top - bottom) / 2
    size = (radius, half) if shape == "cylinder" else (radius, radius, half)
    return Part(shape, size, rgb, (0.0, 0.0, bottom + half))


def foot(radius: float, height: float, rgb: Rgb, centre: tuple[float, float] = (0.0, 0.0)) -> Part:
    """A square plate from z = 0 to `height`, its corners on a circle of `radius`, m."""
    side = radius / np.sqrt(2)
    return Part("box", (side, side, height / 2), rgb, (centre[0], centre[1], height / 2), condim=3)


def panels(
    low: tuple[float, float],
    high: tuple[float, float],
    wall: float,
    count: int,
    rgb: Rgb,
    centre: tuple[float, float] = (0.0, 0.0),
) -> list[Part]:
    """A ring of `count` flat boxes, `wall` m thick, about the z axis.

    Args:
        low, high: outer radius and height of the lower and the upper edge, m; upright or leaning inwards.
    """
    edge = np.array([high[0] - low[0], high[1] - low[1]])
    length = float(np.linalg.norm(edge))
    lean = float(np.arctan2(-edge[0], edge[1]))
    inwards = np.array([-np.cos(lean), -np.sin(lean)])
    radius, height = (np.array(low) + np.array(high)) / 2 + inwards * wall / 2
    size = (wall / 2, low[0] * np.tan(np.pi / count), length / 2)
    ring = []
    for angle in 2 * np.pi * np.arange(count) / count:
        x, y, z, w = Rotation.from_euler("ZY", [angle, -lean]).as_quat()
        pos = (centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle), height)
        ring.append(Part("box", size, rgb, tuple(map(float, pos)), (float(w), float(x), float(y), float(z)), 3))
    return ring
