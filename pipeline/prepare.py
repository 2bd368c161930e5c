"""Everything that is checked before anything starts, and the plan that comes out of it.

Call `prepare` before mujoco is imported: it chooses OpenGL.
"""

from __future__ import annotations

import itertools
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.config import ALL, BadInput, GenerateConf, KitchenConf, RegenerateConf, RenderConf, check
from pipeline.plan import Slot, plan
from pipeline.workspace import Workspace
from sim.gl import GLError, setup_gl

if TYPE_CHECKING:
    from tasks.base import Task

RECORDING_BYTES = 10e6
VIDEO_BYTES = 16e6
"""Of an episode of two minutes at 256 pixels; videos grow with the area."""
SPARE_BYTES = 200e6


@dataclass(frozen=True)
class TaskPlan:
    """What a run makes of one task.

    Attributes:
        name: the task.
        slots: the episodes.
        identity: what decides the bytes of the dataset.
        place: where it goes.
    """

    name: str
    slots: list[Slot]
    identity: dict[str, Any]
    place: Workspace


def prepare(conf: GenerateConf) -> list[TaskPlan]:
    """Checks a run and plans it. Raises BadInput; nothing has been written by then."""
    check(conf)
    names = _names(conf)
    out = check_out(conf.out)
    check_disk(out, conf.episodes * len(names), conf.render)
    check_machine(conf)
    return [_plan_task(name, conf, out) for name in names]


def check_machine(conf: GenerateConf | RegenerateConf) -> None:
    """Chooses OpenGL for this process, and sees that the asset folder is there. Raises BadInput."""
    local = conf.cluster.kind == "local"
    try:
        setup_gl(conf.render.gl)
    except GLError as error:
        if local:  # the head of a cluster may well have none; its workers say so themselves
            raise BadInput(str(error)) from error
    from sim.assets import AssetError, asset_roots

    try:
        asset_roots(conf.kitchen.assets)
    except (AssetError, OSError) as error:
        raise BadInput(str(error)) from error


def check_out(out: str) -> Path:
    """The output folder as an absolute path. Raises BadInput if it is a file or its path cannot be used."""
    path = Path(out).expanduser().absolute()
    if not out or any(character in str(path) for character in "*?["):
        raise BadInput(f"out={out!r} is not a usable folder name: lerobot cannot read a path with *, ? or [ in it")
    for parent in (path, *path.parents):
        if parent.exists():
            if not parent.is_dir():
                raise BadInput(f"out={out} cannot be a folder: {parent} is a file")
            break
    return path


def check_disk(out: Path, episodes: int, render: RenderConf) -> None:
    """Raises BadInput if the file system of `out` has clearly too little room."""
    existing = next(path for path in (out, *out.parents) if path.exists())
    each = RECORDING_BYTES + (VIDEO_BYTES * (render.size / 256) ** 2 if render.enabled else 0)
    need, free = episodes * each + SPARE_BYTES, shutil.disk_usage(existing).free
    if free < need:
        raise BadInput(
            f"{episodes} episodes need about {need / 1e9:.1f} GB, "
            f"but the disk of {existing} has {free / 1e9:.1f} GB free"
        )


def _names(conf: GenerateConf) -> list[str]:
    from tasks import task_names

    names = list(conf.task)
    if ALL in names:
        return list(task_names())
    for name in names:
        if name not in task_names():
            raise BadInput(f"there is no task {name!r}; there are {', '.join(task_names())}")
    return names


def _plan_task(name: str, conf: GenerateConf, out: Path) -> TaskPlan:
    from tasks import load_task

    task = load_task(name)
    levels = select_levels(task, conf.levels)
    layouts, styles = select_kitchens(task, conf.split, conf.kitchen)
    identity = {"task": name, "version": task.version, **conf.identity()}
    place = Workspace(out, name)
    place.refuse_other(identity)

    def roomy(level: dict[str, Any]) -> tuple[int, ...]:
        return tuple(number for number in layouts if number in task.layouts_for(level, conf.split))

    for level in levels:
        if not roomy(level):
            said = ", ".join(f"{key}={value}" for key, value in level.items())
            raise BadInput(f"none of the layouts {', '.join(map(str, layouts))} has room for {name} with {said}")
    slots = plan(levels, roomy, styles, conf.episodes, conf.seed, conf.tries)
    return TaskPlan(name, slots, identity, place)


def select_levels(task: Task, wanted: dict[str, Any]) -> list[dict[str, Any]]:
    """The levels that agree with the settings; a list of values means any of them. Raises BadInput."""
    from tasks.base import UnknownLevelError

    choices = [value if isinstance(value, list) else [value] for value in wanted.values()]
    try:
        chosen = [
            level
            for values in itertools.product(*choices)
            for level in task.select_levels(dict(zip(wanted, values, strict=True)))
        ]
    except UnknownLevelError as error:
        raise BadInput(str(error)) from error
    levels = [level for level in task.all_levels() if level in chosen]
    if not levels:
        raise BadInput(f"levels={wanted} leaves no level of {task.name}")
    return levels


def select_kitchens(task: Task, split: str, kitchen: KitchenConf) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The layouts and styles to use. Raises BadInput for one that is not in the split."""
    return (
        _select("layout", task, split, kitchen.layouts, task.layouts),
        _select("style", task, split, kitchen.styles, task.styles),
    )


def _select(
    what: str, task: Task, split: str, wanted: list[int] | None, known: dict[str, tuple[int, ...]]
) -> tuple[int, ...]:
    if wanted is None:
        return tuple(known[split])
    for number in wanted:
        if number not in known[split]:
            other = [name for name, numbers in known.items() if number in numbers]
            hint = f"; it belongs to split={other[0]}" if other else ""
            has = ", ".join(map(str, known[split]))
            raise BadInput(f"{what} {number} is not one of {task.name}'s split={split} ({has}){hint}")
    return tuple(wanted)


def resolved(conf: GenerateConf | RegenerateConf) -> dict[str, Any]:
    """The whole configuration as plain data."""
    return asdict(conf)
