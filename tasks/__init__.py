"""The ten tasks, found by name: task `x` is the module `tasks.x`, which exports its class as `TASK`."""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tasks.base import Task

TEN = (
    "search_room",
    "locked_storage",
    "blackout_search",
    "marked_mugs",
    "painted_cubes",
    "unfamiliar_containers",
    "stamps",
    "odd_parcel",
    "puzzle_box",
    "wobbly_stand",
)


class UnknownTaskError(ValueError):
    """A task name that nothing answers to."""


def task_names() -> tuple[str, ...]:
    """The tasks that are built, in the order of the design."""
    return tuple(name for name in TEN if importlib.util.find_spec(f"tasks.{name}"))


def load_task(name: str) -> Task:
    """The task of that name. Raises UnknownTaskError, saying which there are."""
    if name not in task_names():
        raise UnknownTaskError(f"there is no task {name!r}; there are {', '.join(task_names())}")
    return importlib.import_module(f"tasks.{name}").TASK()
