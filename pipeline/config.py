"""What a user can set: the schemas of `conf/`, and the checks that need nothing but the values themselves.

`read` turns what hydra composed into these classes; `check` refuses what could never work. Both raise `BadInput` with
one sentence. What depends on a task, on files or on the machine is checked in `pipeline.prepare`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

ALL = "all"
SPLITS = ("train", "eval")
KEYS = ("lerobot", "openpi")
GL = ("auto", "osmesa", "egl")
MESHES = ("light", "full")
CLUSTERS = ("local", "ray")
MAX_SEED = 2**32 - 1
MAX_SIDE = 8192

T = TypeVar("T")


class BadInput(ValueError):
    """What the user asked for cannot be done; the message is one sentence that says what and what would be right."""


@dataclass
class TaskConf:
    """Settings of one task: a wall-clock limit of its own for an attempt, s, or None for `limits.wall_s`."""

    wall_s: float | None = None


@dataclass
class KitchenConf:
    """Which kitchens: None means all of the split. `assets` is a folder of RoboCasa assets, None the stand-in pack."""

    layouts: list[int] | None = None
    styles: list[int] | None = None
    assets: str | None = None


@dataclass
class RenderConf:
    """How frames are drawn; `enabled: false` makes recordings only. `size` in pixels; see sim.camera for `meshes`."""

    enabled: bool = True
    size: int = 256
    supersample: int = 1
    meshes: str = "light"
    gl: str = "auto"


@dataclass
class OutputConf:
    """The names of the dataset's features: `lerobot` or `openpi`."""

    keys: str = "lerobot"


@dataclass
class ClusterConf:
    """`local` starts Ray here, `ray` joins the cluster at `address` (None: the one Ray finds)."""

    kind: str = "local"
    address: str | None = None


@dataclass
class LimitsConf:
    """Wall-clock limits of an attempt and of drawing an episode, s; memory a worker asks Ray for, GB; calls a worker
    process serves before it is replaced."""

    wall_s: float = 1200.0
    render_s: float = 3600.0
    memory_gb: float = 2.5
    calls: int = 8


@dataclass
class GenerateConf:
    """`scripts/generate.py`. `workers` None means one per CPU."""

    task: dict[str, TaskConf] = field(default_factory=dict)
    episodes: int = 9
    seed: int = 0
    split: str = "train"
    levels: dict[str, Any] | None = None
    tries: int = 10
    keep_failed: bool = False
    out: str = "data"
    workers: int | None = None
    kitchen: KitchenConf = field(default_factory=KitchenConf)
    render: RenderConf = field(default_factory=RenderConf)
    output: OutputConf = field(default_factory=OutputConf)
    cluster: ClusterConf = field(default_factory=ClusterConf)
    limits: LimitsConf = field(default_factory=LimitsConf)

    def __post_init__(self) -> None:
        self.levels = self.levels or {}

    def identity(self) -> dict[str, Any]:
        """The settings that decide what is in the dataset; workers, cluster and limits do not."""
        names = ("episodes", "seed", "split", "levels", "tries", "kitchen", "render", "output")
        return {name: asdict(self)[name] for name in names}


@dataclass
class RegenerateConf:
    """`scripts/regenerate.py`: draws the recordings of `dataset` again, into `out`."""

    dataset: str = ""
    out: str = ""
    workers: int | None = None
    kitchen: KitchenConf = field(default_factory=KitchenConf)
    render: RenderConf = field(default_factory=RenderConf)
    output: OutputConf = field(default_factory=OutputConf)
    cluster: ClusterConf = field(default_factory=ClusterConf)
    limits: LimitsConf = field(default_factory=LimitsConf)

    def identity(self) -> dict[str, Any]:
        """As for GenerateConf."""
        return {name: asdict(self)[name] for name in ("dataset", "kitchen", "render", "output")}


def read(schema: type[T], composed: DictConfig) -> T:
    """The composed configuration as an instance of the schema. Raises BadInput."""
    try:
        merged = OmegaConf.merge(OmegaConf.structured(schema), composed)
        missing = OmegaConf.missing_keys(merged)
        if missing:
            raise BadInput(f"{sorted(missing)[0]}= has to be given")
        return OmegaConf.to_object(merged)
    except OmegaConfBaseException as error:
        key = getattr(error, "full_key", None)
        raise BadInput(f"{key or 'the configuration'}: {str(error).splitlines()[0]}") from error


def digest(identity: dict[str, Any]) -> str:
    """16 hex digits that stand for the settings."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check(conf: GenerateConf | RegenerateConf) -> None:
    """Refuses values that could never work. Raises BadInput."""
    _at_least("workers", conf.workers, 1)
    for name in ("wall_s", "render_s", "memory_gb", "calls"):
        _positive(f"limits.{name}", getattr(conf.limits, name))
    _one_of("cluster.kind", conf.cluster.kind, CLUSTERS)
    _one_of("output.keys", conf.output.keys, KEYS)
    _check_render(conf.render)
    if isinstance(conf, RegenerateConf):
        if not conf.render.enabled:
            raise BadInput("render=none leaves nothing to regenerate; choose a size, for example render.size=512")
        return
    if not conf.task:
        raise BadInput("no task was chosen; give one, for example task=puzzle_box, or task=all")
    _at_least("episodes", conf.episodes, 1)
    _at_least("tries", conf.tries, 1)
    _at_least("seed", conf.seed, 0)
    last = conf.seed + conf.episodes * conf.tries - 1
    if last > MAX_SEED:
        raise BadInput(f"the seeds of this run reach {last}, but {MAX_SEED} is the largest; take a smaller seed")
    _one_of("split", conf.split, SPLITS)
    for name in ("layouts", "styles"):
        _check_choice(f"kitchen.{name}", getattr(conf.kitchen, name))
    for name, task in conf.task.items():
        if task is not None and task.wall_s is not None:
            _positive(f"task.{name}.wall_s", task.wall_s)


def _check_render(render: RenderConf) -> None:
    _one_of("render.gl", render.gl, GL)
    _one_of("render.meshes", render.meshes, MESHES)
    if not render.enabled:
        return
    size, times = render.size, render.supersample
    _at_least("render.supersample", times, 1)
    if size < 16 or size % 2:
        near = max(16, size + size % 2)
        raise BadInput(f"render.size={size} cannot be encoded: it must be even and at least 16, for example {near}")
    if size * times > MAX_SIDE:
        raise BadInput(f"render.size={size} times render.supersample={times} is more than {MAX_SIDE} pixels")


def _check_choice(name: str, values: list[int] | None) -> None:
    if values is None:
        return
    if not values:
        raise BadInput(f"{name} is empty; name some, or leave it out to use all of the split")
    if len(set(values)) != len(values):
        raise BadInput(f"{name}={values} names the same one twice")


def _at_least(name: str, value: int | None, least: int) -> None:
    if value is not None and value < least:
        raise BadInput(f"{name}={value} is too small: it must be at least {least}")


def _positive(name: str, value: float) -> None:
    if not value > 0:
        raise BadInput(f"{name}={value} must be above 0")


def _one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise BadInput(f"{name}={value} is not known; it is one of {', '.join(known)}")
