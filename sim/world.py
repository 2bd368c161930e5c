"""The running simulation of an instance: model, data, robot, and the rules that the task adds to physics.

`World` is the only thing that steps MuJoCo. It loads from a stored model alone, so that a recording replays without
RoboCasa and after task code has changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import mujoco
import numpy as np

from sim.assets import AssetRoots
from sim.contact import subtree
from sim.control import RobotController, step_tick
from sim.robot import CONTROL_HZ, RobotIds, robot_state

STATE_SPEC = int(mujoco.mjtState.mjSTATE_INTEGRATION)
RESET_TICKS = 10
PAINTED = "painted"
"""Kind of the events that change how a geom looks: {geom, rgba}."""
HOME_ARM = (-0.01612974, -1.03446714, -0.02397936, -2.27550888, 0.03932365, 1.51639493, 0.69615947)
"""Joint angles that RoboCasa resets the PandaOmron's arm to, rad (7,)."""
HOME_FINGERS = (0.020833, -0.020833)
"""Finger joints at robosuite's reset, m (2,)."""


class Rule(Protocol):
    """Something a task adds to physics: a latch, ink, the SUBMIT button's memory. Its state is plain data."""

    def reset(self, world: World) -> None:
        """Called at the first state of an episode."""

    def update(self, world: World) -> None:
        """Called once after every tick; reads `world.judged()` and may write events or the model."""

    def get_state(self) -> Any:
        """All that the rule remembers, as immutable plain data."""

    def set_state(self, state: Any) -> None:
        """Puts back what `get_state` gave."""


@dataclass(frozen=True)
class Checkpoint:
    """Everything that continues a run bit for bit."""

    physics: np.ndarray
    controller: np.ndarray
    rules: tuple[Any, ...]
    tick: int
    events: int


@dataclass(frozen=True)
class Event:
    """Something that happened in the world, at the state with index `tick`."""

    tick: int
    kind: str
    data: dict[str, Any]


class World:
    """A simulated instance at 20 Hz.

    Attributes:
        model, data: MuJoCo's. `data` holds kinematics of the current state; contacts and forces are in `judged()`.
        tick_count: number of ticks since the first state.
        robot_geoms: the geoms of the whole robot, base and gripper included.
        events: what happened so far, in order.
    """

    def __init__(self, stored_xml: str, roots: AssetRoots, rules: Sequence[Rule] = ()) -> None:
        self.xml = stored_xml
        self.model = mujoco.MjModel.from_xml_string(roots.load(stored_xml))
        self.data = mujoco.MjData(self.model)
        self.ids = RobotIds.resolve(self.model)
        self.controller = RobotController(self.model, self.data)
        self.robot_geoms = subtree(self.model, self.model.body("robot0_base").id)
        self.rules = tuple(rules)
        self.substeps = round(1 / (CONTROL_HZ * self.model.opt.timestep))
        self.events: list[Event] = []
        self.tick_count = 0
        self._unpainted = self.model.geom_rgba.copy()
        self._judge = mujoco.MjData(self.model)
        self._judged_at = -1
        self._state_size = mujoco.mj_stateSize(self.model, STATE_SPEC)

    def reset(self) -> None:
        """The first state of the episode: the robot at its home pose, ten idle ticks so that everything has settled."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.ids.arm_qpos] = HOME_ARM
        self.data.qpos[self.ids.finger_qpos] = HOME_FINGERS
        mujoco.mj_forward(self.model, self.data)
        self.controller.reset()
        idle = np.zeros(12)
        idle[6] = idle[11] = -1.0
        for _ in range(RESET_TICKS):
            step_tick(self.model, self.data, self.controller, idle, self.substeps)
        self._start()

    def start_from(self, physics: np.ndarray, controller: np.ndarray) -> None:
        """Starts an episode from a recorded first state."""
        self._set_physics(physics)
        self.controller.set_state(controller)
        self._start()

    def _start(self) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        self.tick_count = 0
        self._judged_at = -1
        self.events.clear()
        self._repaint()
        for rule in self.rules:
            rule.reset(self)

    def tick(self, action: np.ndarray) -> None:
        """One control step: `action` float (12,) in [-1, 1], used in the float32 it is recorded in; then the rules."""
        action = np.asarray(action, np.float32).astype(np.float64)
        step_tick(self.model, self.data, self.controller, action, self.substeps)
        self._advance()

    def show_state(self, physics: np.ndarray) -> None:
        """Goes to the next recorded state instead of simulating it: for judging from states alone."""
        self._set_physics(physics)
        self._advance()

    def _advance(self) -> None:
        mujoco.mj_kinematics(self.model, self.data)
        self.tick_count += 1
        for rule in self.rules:
            rule.update(self)

    def physics_state(self) -> np.ndarray:
        """mjSTATE_INTEGRATION, float64 (n,)."""
        state = np.empty(self._state_size)
        mujoco.mj_getState(self.model, self.data, state, STATE_SPEC)
        return state

    def _set_physics(self, state: np.ndarray) -> None:
        if state.shape != (self._state_size,):
            raise ValueError(f"a state of this model has {self._state_size} numbers, not {state.shape}")
        mujoco.mj_setState(self.model, self.data, state, STATE_SPEC)
        self._judged_at = -1

    def robot_state(self) -> np.ndarray:
        """The dataset's state vector, float32 (16,)."""
        return robot_state(self.ids, self.data)

    def judged(self) -> mujoco.MjData:
        """Contacts and forces at the current state.

        Computed in a second MjData from the state alone, so that looking never changes the trajectory and a recorded
        state gives the same answer as the live run.
        """
        if self._judged_at != self.tick_count:
            mujoco.mj_setState(self.model, self._judge, self.physics_state(), STATE_SPEC)
            mujoco.mj_forward(self.model, self._judge)
            self._judged_at = self.tick_count
        return self._judge

    def paint(self, geom: str, rgba: Sequence[float]) -> None:
        """Changes the look of a geom from this state on (ink, a lamp): an event, which renderers apply too."""
        self.emit(PAINTED, geom=geom, rgba=[float(value) for value in rgba])
        self.model.geom(geom).rgba = rgba

    def emit(self, kind: str, **data: Any) -> None:
        """Appends an event at the current tick."""
        self.events.append(Event(self.tick_count, kind, data))

    def checkpoint(self) -> Checkpoint:
        """A copy of everything that continues the run."""
        rules = tuple(rule.get_state() for rule in self.rules)
        return Checkpoint(self.physics_state(), self.controller.get_state(), rules, self.tick_count, len(self.events))

    def restore(self, checkpoint: Checkpoint) -> None:
        """Goes back to a checkpoint of this world."""
        self._set_physics(checkpoint.physics)
        mujoco.mj_kinematics(self.model, self.data)
        self.controller.set_state(checkpoint.controller)
        for rule, state in zip(self.rules, checkpoint.rules, strict=True):
            rule.set_state(state)
        self.tick_count = checkpoint.tick
        del self.events[checkpoint.events :]
        self._repaint()

    def _repaint(self) -> None:
        self.model.geom_rgba[:] = self._unpainted
        for event in self.events:
            if event.kind == PAINTED:
                self.model.geom(event.data["geom"]).rgba = event.data["rgba"]
