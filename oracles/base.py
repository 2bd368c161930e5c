"""What an oracle is, what it may say, and what it sees of the episode: the Session.

An oracle is a generator. It yields actions (float (12,)) and, through the Session's helpers, requests to the runner;
it never steps the simulator. Choices take their input from `session.evidence` and are logged with `session.decide`,
so that a test can show that two instances that look the same are treated the same.
"""

from __future__ import annotations

import copy
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, TypeVar

import mujoco
import numpy as np

from sim.contact import subtree
from sim.floor import FloorMap, floor_map
from sim.world import World
from tasks.base import Instance
from tasks.terms import Term, Thing

T = TypeVar("T")


FRONT_MOVED = 0.02
"""A front that moved this far, m or rad, since the floor was mapped, asks for a new map."""


class Reason(StrEnum):
    """Why a motion failed."""

    UNREACHABLE = "unreachable"
    BLOCKED = "blocked"
    SLIPPED = "slipped"
    DROPPED = "dropped"
    NOT_SEEN = "not_seen"
    STALLED = "stalled"
    UNSOLVED = "unsolved"
    TOO_LONG = "too_long"


MOTOR_FAILURES = frozenset(Reason) - {Reason.UNSOLVED, Reason.TOO_LONG}
"""What a rewind may undo: the hand's mistakes, never the world's answer to a choice."""


class SkillFailed(Exception):
    """A motion that did not reach its end."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail


class CaptionError(RuntimeError):
    """An action outside a stage and a subtask: a mistake in an oracle's code."""


class Mark:
    """Asks the runner for a checkpoint; the runner answers with a token."""


@dataclass(frozen=True)
class Rewind:
    """Asks the runner to go back to a checkpoint and forget what came after."""

    token: Any


Step = np.ndarray | Mark | Rewind
Motion = Generator[Step, Any, T]


class Evidence(ABC):
    """What the cameras and instruments have shown so far in this episode. Plain data; the only input of choices."""

    @abstractmethod
    def things(self, world: World) -> list[Thing]:
        """What has been seen, for captions: positions in the robot's base frame now."""

    def to_json(self) -> Any:
        """Canonical plain data, to compare what two runs knew: all fields, copied."""
        return copy.deepcopy(vars(self))

    def restore(self, record: Any) -> None:
        """Goes back to what `to_json` gave."""
        vars(self).update(copy.deepcopy(record))


@dataclass
class Session:
    """What the runner gives an oracle.

    Attributes:
        instance: the frozen problem. Motions may read its hidden specification; choices may not.
        world: for motions and for looking; an oracle never steps it.
        evidence: what is known.
        rng: jitter for motions, from the instance's seed.
        eyes: what the cameras show now, see oracles.eyes.
        decisions: log of (what, evidence, options, choice).
    """

    instance: Instance
    world: World
    evidence: Any
    rng: np.random.Generator
    eyes: Any
    stage_term: Term | None = None
    subtask_term: Term | None = None
    grip: float = -1.0
    decisions: list[dict[str, Any]] = field(default_factory=list)
    captions_changed: int = 0
    _floor: tuple[np.ndarray, FloorMap] | None = field(default=None, init=False, repr=False)

    @property
    def floor(self) -> FloorMap:
        """The free floor between the furniture, with its fronts as they stand now; loose things are not on it."""
        fronts = self.world.data.qpos[self._fronts].copy()
        if self._floor is None or np.any(np.abs(fronts - self._floor[0]) > FRONT_MOVED):
            self._floor = fronts, floor_map(self.world.model, self.world.data, self._passable)
        return self._floor[1]

    @cached_property
    def _fronts(self) -> np.ndarray:
        """Addresses in qpos of all hinges and slides that are not the robot's."""
        model = self.world.model
        robot = model.body_rootid[model.body("robot0_base").id]
        kinds = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))
        roots = model.body_rootid[model.jnt_bodyid]
        return model.jnt_qposadr[np.isin(model.jnt_type, kinds) & (roots != robot)].astype(int)

    @cached_property
    def _passable(self) -> frozenset[int]:
        """The geoms of the robot, and of everything that can be carried away."""
        model = self.world.model
        loose = model.jnt_bodyid[model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE)]
        return self.world.robot_geoms.union(*(subtree(model, int(body)) for body in loose))

    @contextmanager
    def stage(self, term: Term) -> Iterator[None]:
        """A caption of 10-50 s, in force for all actions yielded inside."""
        outer, self.stage_term = self.stage_term, term
        self.captions_changed += 1
        try:
            yield
        finally:
            self.stage_term = outer

    @contextmanager
    def subtask(self, term: Term) -> Iterator[None]:
        """A caption of about 10 s, in force for all actions yielded inside."""
        outer, self.subtask_term = self.subtask_term, term
        self.captions_changed += 1
        try:
            yield
        finally:
            self.subtask_term = outer

    def decide(self, what: str, options: list[str], choice: str) -> str:
        """Logs a choice together with what was known, and returns it."""
        known = json.dumps(self.evidence.to_json(), sort_keys=True)
        self.decisions.append({"what": what, "evidence": known, "options": options, "choice": choice})
        return choice

    def attempt(self, motion: Callable[[int], Motion[T]], tries: int = 3) -> Motion[T]:
        """Runs a motion, and again from the state where it began if the hand failed. The last failure is raised.

        Args:
            motion: makes the motion of the k-th try (0-based), e.g. with more jitter.
            tries: how many at most.
        """
        token = yield Mark()
        for k in range(tries):
            try:
                return (yield from motion(k))
            except SkillFailed as failure:
                if failure.reason not in MOTOR_FAILURES or k == tries - 1:
                    raise
                yield Rewind(token)
        raise AssertionError("unreachable")


class Oracle(ABC):
    """The scripted expert of one task."""

    @abstractmethod
    def evidence(self) -> Evidence:
        """What is known before the first look."""

    @abstractmethod
    def run(self, session: Session) -> Motion[None]:
        """The episode, up to the press of SUBMIT. Raises SkillFailed to give up."""
