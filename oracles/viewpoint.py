"""What has been seen, as captions need it: from where the robot stands now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from oracles.skills.arm import base_frame
from sim.world import World
from tasks.terms import Thing


class Viewpoint:
    """Where the base is, and what the cameras showed last."""

    def __init__(self, world: World, in_view: Collection[str]) -> None:
        self._position, self._rotation = base_frame(world)
        self._in_view = in_view

    def thing(
        self, name: str, noun: str, at: Sequence[float], group: str, traits: Mapping[str, str] | None = None
    ) -> Thing:
        """A thing that was last seen at a world point (3,), m; see `Thing`."""
        local = tuple(round(float(v), 4) for v in self._rotation.T @ (np.array(at) - self._position))
        return Thing(name, noun, local, dict(traits or {}), group, name in self._in_view)
