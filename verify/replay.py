"""Two passes over a recording: its actions simulated again, and its states shown to the task's rules alone.

The passes use separate worlds. The first shows that the actions cause the states; the second that success follows from
the states, without trusting anything the live run had in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.recording import Recording
from sim.world import World


@dataclass(frozen=True)
class Replay:
    """How a new simulation of the recorded actions compares with the recorded states.

    Attributes:
        first_difference: index of the first state that differs, None if all are equal bit for bit.
        largest: largest absolute difference of any number of any state.
        result: success and progress frozen by the SUBMIT rule, None if it was not pressed.
    """

    first_difference: int | None
    largest: float
    result: tuple[bool, float] | None


@dataclass(frozen=True)
class Judgement:
    """What the recorded states say by themselves.

    Attributes:
        pressed_at: index of the state at which SUBMIT was pressed first, None if never.
        result: success and progress frozen there.
        events: rows {tick, kind, data} that the rules wrote.
        robot: float32 (T+1, 16), the robot's state vector at every state.
    """

    pressed_at: int | None
    result: tuple[bool, float] | None
    events: list[dict[str, Any]]
    robot: np.ndarray


def reset_state(world: World) -> tuple[np.ndarray, np.ndarray]:
    """Physics and controller state that the model resets to."""
    world.reset()
    return world.physics_state(), world.controller.get_state()


def replay_actions(world: World, recording: Recording) -> Replay:
    """Simulates the recorded actions from the first recorded state. About as expensive as the episode was."""
    world.start_from(recording.states[0], recording.controller)
    first, largest = None, 0.0
    for t, action in enumerate(recording.actions, start=1):
        world.tick(action)
        state = world.physics_state()
        if state.tobytes() != recording.states[t].tobytes():
            first = t if first is None else first
            difference = np.abs(state - recording.states[t]).max()
            largest = max(largest, float(difference) if np.isfinite(difference) else np.inf)
    return Replay(first, largest, world.rules[0].result)


def judge_states(world: World, recording: Recording, visit: Callable[[int, World], None] | None = None) -> Judgement:
    """Shows every recorded state to the rules, and then to `visit(index, world)`."""
    world.start_from(recording.states[0], recording.controller)
    submit = world.rules[0]
    pressed_at = 0 if submit.pressed else None
    robot = [world.robot_state()]
    if visit:
        visit(0, world)
    for t in range(1, len(recording.states)):
        world.show_state(recording.states[t])
        robot.append(world.robot_state())
        if pressed_at is None and submit.pressed:
            pressed_at = t
        if visit:
            visit(t, world)
    events = [{"tick": e.tick, "kind": e.kind, "data": e.data} for e in world.events]
    return Judgement(pressed_at, submit.result, events, np.array(robot))
