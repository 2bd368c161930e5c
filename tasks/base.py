"""What a task is, and the frozen problem it poses.

A task is one class: levels, sampling, props, rules, goal text, success and progress. It never imports the oracle.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from sim.assets import AssetRoots
from sim.kitchen import Kitchen, KitchenId
from sim.world import Rule, World

SPLITS = ("train", "eval")
STREAMS = ("scene", "structure", "poses", "materials", "wording")
TRAIN_STYLES = tuple(range(1, 11))
EVAL_STYLES = tuple(range(11, 16))
"""RoboCasa styles of the benchmark's development and evaluation kitchens (tasks.md 1.1)."""


class SamplingError(Exception):
    """No instance could be sampled for this seed, level and kitchen; another seed may do."""


class UnknownLevelError(ValueError):
    """A level setting that the task does not have."""


@dataclass(frozen=True)
class Instance:
    """One frozen problem. Plain data; `spec` is JSON (the task's hidden specification and all its poses)."""

    task: str
    version: str
    seed: int
    level: dict[str, Any]
    split: str
    kitchen: KitchenId
    spec: dict[str, Any]
    goal: str
    instance_id: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "instance_id", self._digest())

    def _digest(self) -> str:
        record = self.to_json()
        record.pop("instance_id")
        text = json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> dict[str, Any]:
        """The record that `instance.json` holds."""
        return {
            "instance_id": getattr(self, "instance_id", ""),
            "task": self.task,
            "version": self.version,
            "seed": self.seed,
            "level": self.level,
            "split": self.split,
            "kitchen": {
                "layout": self.kitchen.layout,
                "style": self.kitchen.style,
                "seed": self.kitchen.seed,
            },
            "spec": self.spec,
            "goal": self.goal,
        }

    @classmethod
    def from_json(cls, record: dict[str, Any]) -> Instance:
        """Reads a record. Raises ValueError if its id does not fit its content."""
        values = {k: v for k, v in record.items() if k not in ("instance_id", "kitchen")}
        instance = cls(kitchen=KitchenId(**record["kitchen"]), **values)
        if instance.instance_id != record["instance_id"]:
            raise ValueError(f"instance {record['instance_id']} was changed: its content has id {instance.instance_id}")
        return instance


def streams(task: str, seed: int) -> dict[str, np.random.Generator]:
    """Independent generators by name, so that one stream never disturbs another (tasks.md 1.4)."""
    key = int.from_bytes(hashlib.sha256(task.encode()).digest()[:4], "big")
    children = np.random.SeedSequence([key, seed]).spawn(len(STREAMS))
    return {name: np.random.default_rng(child) for name, child in zip(STREAMS, children, strict=True)}


class Task(ABC):
    """One of the ten tasks.

    Class attributes:
        name, version: identify the contract that instances were sampled under.
        levels: parameter name -> its values; a level is one value of each.
        layouts: split -> RoboCasa layouts that the task uses.
        styles: split -> RoboCasa styles that the task uses.
        tick_limit: most ticks of an episode.
        timestep: physics step, s.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    levels: ClassVar[dict[str, tuple[Any, ...]]]
    layouts: ClassVar[dict[str, tuple[int, ...]]]
    styles: ClassVar[dict[str, tuple[int, ...]]] = {"train": TRAIN_STYLES, "eval": EVAL_STYLES}
    tick_limit: ClassVar[int] = 12_000
    timestep: ClassVar[float] = 0.002

    @abstractmethod
    def sample(self, seed: int, level: dict[str, Any], kitchen: Kitchen, split: str = "train") -> Instance:
        """A problem, deterministic in its arguments, without a simulator. Raises SamplingError."""

    @abstractmethod
    def model(self, instance: Instance, kitchen: Kitchen, roots: AssetRoots) -> str:
        """The stored model of the instance: kitchen, robot at its start, props."""

    @abstractmethod
    def rules(self, instance: Instance) -> tuple[Rule, ...]:
        """The rules that the task adds to physics; the first is the SUBMIT button's."""

    @abstractmethod
    def success(self, instance: Instance, world: World) -> bool:
        """Whether the goal holds in the world's current state."""

    @abstractmethod
    def progress(self, instance: Instance, world: World) -> float:
        """Share of the task done, 0 to 1, as the benchmark defines it."""

    @abstractmethod
    def twin(self, instance: Instance) -> Instance | None:
        """The same visible scene with another hidden truth, or None where nothing is hidden."""

    def world(self, instance: Instance, stored_xml: str, roots: AssetRoots) -> World:
        """The running world of a stored model of this instance."""
        return World(stored_xml, roots, self.rules(instance))

    @classmethod
    def layouts_for(cls, level: dict[str, Any], split: str) -> tuple[int, ...]:
        """The layouts of a split that have room for a level: all, unless a task knows better."""
        return cls.layouts[split]

    @classmethod
    def all_levels(cls) -> list[dict[str, Any]]:
        """Every level, in a fixed order."""
        levels: list[dict[str, Any]] = [{}]
        for key, values in cls.levels.items():
            levels = [{**level, key: value} for level in levels for value in values]
        return levels

    @classmethod
    def select_levels(cls, wanted: dict[str, Any]) -> list[dict[str, Any]]:
        """The levels that agree with the given settings. Raises UnknownLevelError, saying what exists."""
        for key, value in wanted.items():
            if key not in cls.levels:
                raise UnknownLevelError(f"{cls.name} has no level setting {key!r}; it has {', '.join(cls.levels)}")
            if value not in cls.levels[key]:
                known = ", ".join(map(str, cls.levels[key]))
                raise UnknownLevelError(f"{cls.name} has no level {key}={value}; {key} is one of {known}")
        return [lv for lv in cls.all_levels() if all(lv[k] == v for k, v in wanted.items())]
