"""What stands in the kitchen of an instance: furniture, counters, covers and things, by name."""

from __future__ import annotations

import numpy as np

from sim.openable import Front, Openable
from tasks.base import Instance
from tasks.hiding.place import COVERED
from tasks.hiding.section import Section
from tasks.search_room.task import furniture, movables, places, work_top


class Furnishing:
    """See the module's docstring.

    Attributes:
        work: the work top with the tray.
        openables: fixture -> what opens. fronts: "<fixture> <k>" -> the fixture and the index of a front of it.
        counters: name -> stretch of a counter.
        aside: cover -> where it is set down, (3,) m. covers, things: bodies.
    """

    def __init__(self, instance: Instance) -> None:
        self.work = work_top(instance)
        self.openables: dict[str, Openable] = {o.fixture: o for o in furniture(instance)}
        self.fronts: dict[str, tuple[Openable, int]] = {
            f"{name} {k}": (openable, k)
            for name, openable in self.openables.items()
            for k in range(len(openable.fronts))
        }
        self.counters = {s.name: s for s in map(Section.from_json, instance.spec["counters"])}
        self.aside = {p.name: np.array(p.aside) for p in places(instance) if p.kind == COVERED}
        self.covers = sorted(self.aside)
        self.things = [name for name in movables(instance) if name not in self.covers]

    def front(self, name: str) -> Front:
        """A drawer's face or a door leaf."""
        openable, k = self.fronts[name]
        return openable.fronts[k]
