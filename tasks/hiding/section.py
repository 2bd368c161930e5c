"""Stretches of counter along which things may stand: what a searcher looks over, known to all who know the kitchen."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np

from sim.kitchen import Box
from sim.surface import Spot

LONGEST = 1.2
"""One look from in front takes in a stretch of this length, m."""
GAP = 0.15
DEPTH, HEIGHT = 0.24, 0.14


@dataclass(frozen=True)
class Section:
    """A stretch of counter.

    Attributes:
        name: its own.
        fixture: the counter.
        middle: world point (3,) on the top, m, where things would stand.
        half: half the length, m.
        outward: world direction to who stands before it, rad.
        where: which landmark it is next to, see `tasks.hiding.naming`; "" for none.
    """

    name: str
    fixture: str
    middle: tuple[float, float, float]
    half: float
    outward: float
    where: str = ""

    @property
    def points(self) -> np.ndarray:
        """Both ends and the middle, world (3, 3)."""
        along = np.array([-np.sin(self.outward), np.cos(self.outward), 0.0])
        return np.array([np.array(self.middle) + side * self.half * along for side in (-1, 0, 1)])

    @property
    def towards_robot(self) -> np.ndarray:
        """World direction (2,) to who stands before it."""
        return np.array([np.cos(self.outward), np.sin(self.outward)])

    @property
    def box(self) -> Box:
        """The air over it in which things stand."""
        x, y, z = self.middle
        return Box((x, y, z + HEIGHT / 2), (self.half, DEPTH / 2, HEIGHT / 2), self.outward + np.pi / 2)

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Section:
        """Inverse of `to_json`."""
        return cls(**{**record, "middle": tuple(record["middle"])})


def sections(spots: Iterable[Spot]) -> list[Section]:
    """The stretches that free patches of one size make up, in a fixed order."""

    def side(spot: Spot) -> tuple[str, float]:
        return spot.fixture, round(spot.yaw, 3)

    found = []
    for (fixture, yaw), group in groupby(sorted(spots, key=side), side):
        axis = np.array([np.cos(yaw), np.sin(yaw)])
        line = sorted(group, key=lambda spot: float(axis @ np.array(spot.origin[:2])))
        at = [float(axis @ np.array(spot.origin[:2])) for spot in line]
        first = 0
        for k in range(1, len(line) + 1):
            if k < len(line) and at[k] - at[k - 1] < GAP and at[k] - at[first] <= LONGEST:
                continue
            ends = np.array([line[first].origin, line[k - 1].origin])
            middle = tuple(map(float, ends.mean(0)))
            half = (at[k - 1] - at[first] + line[first].size[0]) / 2
            found.append(Section(f"counter_{len(found)}", fixture, middle, half, yaw - np.pi / 2))
            first = k
    return found
