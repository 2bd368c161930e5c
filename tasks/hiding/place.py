"""A place where one thing may be hidden."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tasks.props.cloche import LARGE
from tasks.props.pool import PoolObject

DRAWER, DOOR, OPEN, COVERED = "drawer", "door", "open", "covered"
KINDS = (DRAWER, DOOR, OPEN, COVERED)
HEADROOM = 0.02
"""The inside of furniture is at least this much higher than what it hides, m (tasks.md 8.1)."""


@dataclass(frozen=True)
class Place:
    """Where one thing may be hidden, or nothing is.

    Attributes:
        name: of a compartment its fixture's, of a cover its body's, else "spot_<n>".
        kind: one of KINDS.
        fixture: the drawer or cabinet; or the counter.
        front: of a cabinet, the leaf that the thing is behind (0 is the left one as seen from in front).
        point: world point (3,) under the thing, m, while all is closed.
        outward: world direction from the place to the robot before it, rad.
        height: how high the space is, m.
        aside: where a cover may be set down, world (3,) m.
    """

    name: str
    kind: str
    fixture: str
    front: int
    point: tuple[float, float, float]
    outward: float
    height: float
    aside: tuple[float, float, float] | None = None

    def takes(self, thing: PoolObject) -> bool:
        """Whether a thing of the pool may be hidden here."""
        figures = thing.figures
        if self.kind not in figures.hides_in:
            return False
        return LARGE.fits(figures.size) if self.kind == COVERED else figures.size[2] + HEADROOM <= self.height

    @property
    def towards_robot(self) -> np.ndarray:
        """World direction (2,) from the place to the robot before it."""
        return np.array([np.cos(self.outward), np.sin(self.outward)])

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Place:
        """Inverse of `to_json`."""
        aside = record["aside"]
        return cls(**{**record, "point": tuple(record["point"]), "aside": aside and tuple(aside)})
