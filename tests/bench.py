"""A cheap scene for tests: the robot before a work top, SUBMIT floating under its gripper, and a cube on the work
top.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from oracles.base import Evidence, Motion, Oracle, Session
from sim.assets import AssetRoots
from sim.kitchen import Kitchen, KitchenId
from sim.model import begin_model, finish_model
from sim.surface import find_spots
from sim.world import Rule, World
from tasks.base import Instance, Task
from tasks.props.solids import add_solid
from tasks.props.submit import SubmitRule, add_submit
from tasks.terms import Term, Thing

GRIP = (0.247, -0.004, 1.296)
"""The grip site at the robot's home pose, in the base frame; height over the floor."""
BUTTON_BELOW = 0.065


def bench_model(kitchen: Kitchen, roots: AssetRoots) -> str:
    """The stored model."""
    spot = find_spots(kitchen, (1.30, 0.66), 0.50)[0]
    x, y, yaw = spot.base
    c, s = np.cos(yaw), np.sin(yaw)
    spec = begin_model(kitchen, roots, spot.base)
    grip = (x + c * GRIP[0] - s * GRIP[1], y + s * GRIP[0] + c * GRIP[1])
    add_submit(spec, (*grip, GRIP[2] - BUTTON_BELOW), spot.yaw)
    cube = spec.worldbody.add_body(name="cube", pos=[*spot.to_world((0.3, 0.1))[:2], spot.origin[2] + 0.021])
    cube.add_freejoint(name="cube_joint")
    add_solid(cube, "cube", "box", (0.02, 0.02, 0.02), rgba=(0.9, 0.2, 0.1, 1))
    return finish_model(spec, roots)


def still() -> np.ndarray:
    """An action (12,) that moves nothing, fingers open."""
    action = np.zeros(12)
    action[6] = action[11] = -1.0
    return action


def arm(axis: int, value: float, grip: float = -1.0) -> np.ndarray:
    """An action that moves the arm along or about one axis."""
    action = still()
    action[axis], action[6] = value, grip
    return action


def base(x: float = 0.0, y: float = 0.0, yaw: float = 0.0) -> np.ndarray:
    """An action that drives."""
    action = still()
    action[7:10], action[11] = (x, y, yaw), 1.0
    return action


def press() -> np.ndarray:
    """An action that pushes the closed hand down."""
    return arm(2, -0.25, grip=1.0)


class Bench(Task):
    """Press the button. Success is whatever `wins` says."""

    name: ClassVar[str] = "bench"
    version: ClassVar[str] = "1"
    levels: ClassVar[dict[str, tuple[Any, ...]]] = {"side": ("left", "right"), "count": (1, 2, 3)}
    layouts: ClassVar[dict[str, tuple[int, ...]]] = {"train": (17,), "eval": ()}

    def __init__(self, wins: bool = True, tick_limit: int = 200) -> None:
        self.wins, self.tick_limit = wins, tick_limit

    def sample(self, seed: int, level: dict[str, Any], kitchen: Kitchen, split: str = "train") -> Instance:
        return bench_instance(seed)

    def model(self, instance: Instance, kitchen: Kitchen, roots: AssetRoots) -> str:
        return bench_model(kitchen, roots)

    def rules(self, instance: Instance) -> tuple[Rule, ...]:
        judge = lambda world: (self.success(instance, world), self.progress(instance, world))  # noqa: E731
        return (SubmitRule(judge), Counting())

    def success(self, instance: Instance, world: World) -> bool:
        return self.wins

    def progress(self, instance: Instance, world: World) -> float:
        return 1.0 if self.wins else 0.25

    def twin(self, instance: Instance) -> Instance | None:
        return None


class Counting:
    """A rule with a memory, which writes an event every fifth tick and looks at contacts in every one."""

    def reset(self, world: World) -> None:
        self.ticks, self.contacts = 0, 0

    def update(self, world: World) -> None:
        self.ticks += 1
        self.contacts += int(world.judged().ncon)
        if self.ticks % 5 == 0:
            world.emit("counted", ticks=self.ticks, contacts=self.contacts)

    def get_state(self) -> Any:
        return (self.ticks, self.contacts)

    def set_state(self, state: Any) -> None:
        self.ticks, self.contacts = state


class Notes(Evidence):
    """Evidence that is a list of words."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def things(self, world: World) -> list[Thing]:
        return [Thing(word, word, (0.5, 0.0, 0.9), {}, "words") for word in self.words]

    def to_json(self) -> Any:
        return {"words": list(self.words)}

    def restore(self, record: Any) -> None:
        self.words = list(record["words"])


class Scripted(Oracle):
    """An oracle that is one function of the session."""

    def __init__(self, script: Callable[[Session], Motion[None]]) -> None:
        self.script = script

    def evidence(self) -> Notes:
        return Notes()

    def run(self, session: Session) -> Motion[None]:
        return self.script(session)


def captioned(session: Session, motion: Motion[Any], stage: str = "work", subtask: str = "move") -> Motion[None]:
    """A motion under one stage and one subtask."""
    with session.stage(Term.of(stage)), session.subtask(Term.of(subtask)):
        yield from motion


def repeat(action: np.ndarray, ticks: int) -> Motion[None]:
    """The same action for a while."""
    for _ in range(ticks):
        yield action


def bench_instance(seed: int = 1) -> Instance:
    """Any instance."""
    level = {"side": "left", "count": 2}
    return Instance("bench", "1", seed, level, "train", KitchenId(17, 3), {"hidden": 1}, "Press the red button.")
