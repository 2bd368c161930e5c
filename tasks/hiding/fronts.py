"""Fronts that do not open have no handle (tasks.md 8.1), and some that do shut by themselves."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco

from sim.kitchen import Kitchen
from sim.openable import Openable, find_openables


def take_handles(spec: mujoco.MjSpec, kitchen: Kitchen, openables: Sequence[Openable]) -> None:
    """Removes the handles of all drawers and cabinets but the given ones from a kitchen's model."""
    kept = {openable.fixture for openable in openables}
    locked = {openable.fixture for openable in find_openables(kitchen)} - kept
    for geom in list(spec.geoms):
        owner, _, rest = geom.name.partition("_door_handle")
        owner = owner.removesuffix("_left").removesuffix("_right")
        if rest and owner in locked:
            geom.delete()
