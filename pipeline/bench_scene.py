"""The instances that the bench measures on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sim.assets import AssetRoots
from sim.kitchen import Kitchen, KitchenId, compose
from tasks.base import Instance, SamplingError, Task

TRIES = 20
STRIDE = 100
"""Between the seeds that are tried, so that two jobs with different first seeds never meet."""
STYLES = 10


@dataclass(frozen=True)
class Scene:
    """A task in a kitchen."""

    kitchen: Kitchen
    instance: Instance


def first_scene(task: Task, layout: int, level: dict[str, Any], roots: AssetRoots, *, seed: int = 0) -> Scene:
    """The scene of the first of the seeds `seed`, `seed + 100`, ... that gives an instance, each in another style.

    A kitchen's decor follows from its seed and its fixtures from its style, and either may stand where the task needs
    room. Raises SamplingError if none of 20 gives an instance.
    """
    for k in range(TRIES):
        tried = seed + k * STRIDE
        kitchen = compose(KitchenId(layout, 1 + (seed + k) % STYLES, tried), roots)
        try:
            return Scene(kitchen, task.sample(tried, level, kitchen))
        except SamplingError as error:
            last = error
    raise SamplingError(f"none of {TRIES} seeds from {seed} on gives an instance; the last: {last}")
