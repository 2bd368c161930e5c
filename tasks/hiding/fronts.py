"""Fronts that do not open have no handle (tasks.md 8.1), and some that do shut by themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import mujoco
import numpy as np

from sim.kitchen import Kitchen
from sim.openable import Openable, find_openables

CLOSING_TIME = 240.0
"""How long a front takes to shut from fully open, s. tasks.md 2.7 has 25 for drawers and 20 for doors; this hand takes
20 to let go of the bar, look, and have the thing out of a drawer, which by then may have closed by 5 cm.
"""
REST = 3.0
"""The spring rests this many travels past closed (tasks.md 2.7)."""
SHUT = 0.02


def add_closers(spec: mujoco.MjSpec, openables: Sequence[Openable], names: Collection[str]) -> None:
    """Makes the fronts of the named fixtures shut by themselves, at a nearly even pace.

    With a spring of stiffness k that rests R travels past closed and a damping c, a front is open by the share
    (1 + R) exp(-k t / c) - R after a time t; k is such that SHUT is left after CLOSING_TIME.
    """
    rate = np.log((1 + REST) / (SHUT + REST)) / CLOSING_TIME
    for openable in openables:
        for front in openable.fronts if openable.fixture in names else ():
            joint = spec.joint(front.joint)
            joint.stiffness = rate * joint.damping
            joint.springref = -REST * front.travel
            joint.frictionloss = 0.0


def take_handles(spec: mujoco.MjSpec, kitchen: Kitchen, openables: Sequence[Openable]) -> None:
    """Removes the handles of all drawers and cabinets but the given ones from a kitchen's model."""
    kept = {openable.fixture for openable in openables}
    locked = {openable.fixture for openable in find_openables(kitchen)} - kept
    for geom in list(spec.geoms):
        owner, _, rest = geom.name.partition("_door_handle")
        owner = owner.removesuffix("_left").removesuffix("_right")
        if rest and owner in locked:
            geom.delete()
