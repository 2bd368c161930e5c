"""What stays true of a search once it has been: which compartments were opened, which things came out of hiding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sim.openable import Openable
from sim.world import World
from tasks.hiding.place import COVERED, OPEN, Place
from tasks.props.cloche import LARGE

OPENED = 0.15
"""Share of a front's range from which it counts as opened (tasks.md 8.1)."""
OUT_OF_COMPARTMENT, OUT_OF_COVER = 0.03, 0.02
OUT_OF_SPOT = (0.15, 0.10)
"""How far a thing has to be from where it was hidden to be out, m (tasks.md 8.1)."""
COVER_BAND = (-0.02, LARGE.depth)


class SearchMemory:
    """Notices the first time that a compartment is open, and that a thing is out of hiding."""

    def __init__(self, openables: Sequence[Openable], hidden: Mapping[str, Place]) -> None:
        """`hidden`: thing -> its place."""
        self._openables = {openable.fixture: openable for openable in openables}
        self._hidden = dict(hidden)
        self.opened: tuple[str, ...] = ()
        self.out: tuple[str, ...] = ()

    def reset(self, world: World) -> None:
        """Nothing happened yet."""
        self.opened, self.out = (), ()

    def update(self, world: World) -> None:
        """Looks at what has not happened yet."""
        for name, openable in self._openables.items():
            if name not in self.opened and opened(world, openable):
                self.opened += (name,)
                world.emit("opened", thing=name)
        for thing, place in self._hidden.items():
            if thing not in self.out and self._is_out(world, thing, place):
                self.out += (thing,)
                world.emit("taken_out", thing=thing)

    def get_state(self) -> Any:
        """Both memories."""
        return (self.opened, self.out)

    def set_state(self, state: Any) -> None:
        """Puts them back."""
        self.opened, self.out = state

    def _is_out(self, world: World, thing: str, place: Place) -> bool:
        at = world.data.xpos[world.model.body(thing).id]
        offset = at - np.array(place.point)
        if place.kind == OPEN:
            return bool(np.linalg.norm(offset[:2]) > OUT_OF_SPOT[0] or offset[2] > OUT_OF_SPOT[1])
        if place.kind == COVERED:
            cover = world.data.xpos[world.model.body(place.name).id]
            apart = at - cover
            under = np.linalg.norm(apart[:2]) < LARGE.radius + OUT_OF_COVER
            return not (under and COVER_BAND[0] <= apart[2] <= COVER_BAND[1])
        return self._outside(world, at, self._openables[place.fixture])

    @staticmethod
    def _outside(world: World, at: np.ndarray, openable: Openable) -> bool:
        """Outside of every inner space of the furniture; a drawer's moves with its front."""
        shift = np.zeros(2)
        if openable.fronts[0].hinge is None:
            shift = openable.outward * openable.fronts[0].opened(_value(world, openable.fronts[0].joint))
        c, s = np.cos(openable.yaw), np.sin(openable.yaw)
        for space in openable.interiors:
            offset = at[:2] - shift - np.array(space.centre[:2])
            local = np.array([c * offset[0] + s * offset[1], c * offset[1] - s * offset[0], at[2] - space.centre[2]])
            if np.all(np.abs(local) <= np.array(space.half) + OUT_OF_COMPARTMENT):
                return False
        return True


def opened(world: World, openable: Openable) -> bool:
    """Whether any front of it is open by a sixth or so of its range."""
    return any(front.opened(_value(world, front.joint)) >= OPENED * abs(front.travel) for front in openable.fronts)


def _value(world: World, joint: str) -> float:
    return float(world.data.qpos[world.model.jnt_qposadr[world.model.joint(joint).id]])
