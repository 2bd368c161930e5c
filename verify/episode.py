"""Whether one recording may become a demonstration. Fail closed: what cannot be checked has failed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import tasks
from sim.assets import AssetRoots
from sim.recording import Recording
from sim.world import STATE_SPEC, World
from tasks.base import Instance, Task
from verify import activity, motion
from verify.contacts import Depths, check_depths
from verify.envelope import check_actions
from verify.replay import Judgement, judge_states, replay_actions, reset_state


@dataclass(frozen=True)
class Verdict:
    """What the checks found.

    Attributes:
        failures: name of a check -> one sentence that says what is wrong.
        figures: ticks, shares, durations and the like; those that could be measured.
    """

    failures: dict[str, str]
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return not self.failures


class _Case:
    """A recording under examination; what several checks need is worked out once."""

    def __init__(self, recording: Recording, roots: AssetRoots) -> None:
        self.recording, self.roots = recording, roots
        self.figures: dict[str, Any] = {"ticks": recording.ticks}

    @cached_property
    def instance(self) -> Instance:
        return Instance.from_json(self.recording.instance)

    @cached_property
    def task(self) -> Task:
        return tasks.load_task(self.instance.task)

    def _new_world(self) -> World:
        return self.task.world(self.instance, self.recording.model, self.roots)

    @cached_property
    def judging_world(self) -> World:
        return self._new_world()

    @cached_property
    def acting_world(self) -> World:
        return self._new_world()

    @cached_property
    def depths(self) -> Depths:
        return Depths(self.judging_world)

    @cached_property
    def judgement(self) -> Judgement:
        return judge_states(self.judging_world, self.recording, self.depths)


def check_recording(recording: Recording, roots: AssetRoots) -> Verdict:
    """Runs every check on a recording. Never raises: a check that breaks has failed.

    Costs about as much as simulating the episode, plus two compilations of its model.
    """
    case = _Case(recording, roots)
    failures: dict[str, str] = {}
    for name, check in CHECKS.items():
        try:
            problem = check(case)
        except Exception as error:
            problem = f"the check broke: {type(error).__name__}: {error}"
        if problem:
            failures[name] = problem
    return Verdict(failures, case.figures)


def _instance(case: _Case) -> str:
    instance = case.instance
    if instance.task != case.task.name:
        return f"the instance is of task {instance.task!r}, which calls itself {case.task.name!r}"
    if instance.version != case.task.version:
        return f"the instance is of version {instance.version!r}, the task of version {case.task.version!r}"
    return "" if instance.goal.strip() else "the instance has no goal text"


def _outcome(case: _Case) -> str:
    outcome, events, ticks = case.recording.outcome, case.recording.events, case.recording.ticks
    if outcome["ticks"] != ticks:
        return f"the outcome says {outcome['ticks']} ticks, but there are {ticks} actions"
    if case.recording.spec != STATE_SPEC:
        return f"the states are of kind {case.recording.spec}, not {STATE_SPEC}"
    if outcome["success"] is not True or outcome["reason"]:
        return f"the outcome is not a success (reason: {outcome['reason'] or 'none given'})"
    at = [e["tick"] for e in events]
    if at != sorted(at) or any(not 0 <= t <= ticks for t in at):
        return "the events are out of order or outside of the episode"
    submitted = [e for e in events if e["kind"] == "submitted"]
    if len(submitted) != 1 or submitted[0]["tick"] != ticks:
        return f"there are {len(submitted)} submitted events; there must be one, at the last state ({ticks})"
    data = submitted[0]["data"]
    if data["success"] is not True or data["progress"] != outcome["progress"]:
        return "the submitted event and the outcome do not agree on success and progress"
    return ""


def _success(case: _Case) -> str:
    judgement, outcome, last = case.judgement, case.recording.outcome, case.recording.ticks
    if judgement.pressed_at is None or judgement.result is None:
        return "SUBMIT is never pressed in the recorded states"
    if judgement.pressed_at != last:
        return f"SUBMIT is pressed at state {judgement.pressed_at}, but the recording goes on to state {last}"
    success, progress = judgement.result
    if not success:
        return f"the recorded states are not a success (progress {progress:.3f})"
    if outcome["success"] is not True or float(progress) != float(outcome["progress"]):
        return (
            f"the recorded states give success={bool(success)}, progress={progress}; the outcome says "
            f"success={outcome['success']}, progress={outcome['progress']}"
        )
    return ""


def _events(case: _Case) -> str:
    recorded = iter([_plain(row) for row in case.recording.events])
    for row in map(_plain, case.judgement.events):
        if not any(other == row for other in recorded):
            return f"the states give an event {row['kind']} at state {row['tick']} that was not recorded as such"
    return ""


def _first_state(case: _Case) -> str:
    physics, controller = reset_state(case.acting_world)
    recording = case.recording
    if physics.tobytes() != recording.states[0].tobytes():
        difference = np.abs(physics - recording.states[0]).max()
        return f"the first state is not the one that the model resets to (off by {difference:.3g})"
    if not np.array_equal(controller, recording.controller):
        return "the controller's first state is not the one that the model resets to"
    return ""


def _replay(case: _Case) -> str:
    replay = replay_actions(case.acting_world, case.recording)
    case.figures["replay_largest_difference"] = replay.largest
    if replay.first_difference is not None:
        return (
            f"the actions do not give the states: they first differ at state {replay.first_difference}, "
            f"and at most by {replay.largest:.3g}"
        )
    if replay.result != case.judgement.result:
        return f"simulated again, SUBMIT freezes {replay.result}, but the states alone give {case.judgement.result}"
    return ""


def _jumps(case: _Case) -> str:
    return motion.check_jumps(case.judging_world, case.recording.states)


def _room(case: _Case) -> str:
    return motion.check_room(case.judging_world, case.recording.states, case.judgement.robot[:, 7:10])


def _joint_limits(case: _Case) -> str:
    world, states = case.judging_world, case.recording.states
    case.figures["max_joint_speed"] = round(motion.largest_joint_speed(world, states), 4)
    return motion.check_joint_limits(world, states)


def _contacts(case: _Case) -> str:
    _ = case.judgement
    case.figures["kitchen_depth_mm"] = round(case.depths.kitchen.metres * 1000, 3)
    case.figures["prop_depth_mm"] = round(case.depths.props.metres * 1000, 3)
    return check_depths(case.depths)


def _activity(case: _Case) -> str:
    found = activity.measure(case.recording.actions, case.judgement.robot)
    case.figures["idle_share"] = round(found.idle_share, 4)
    case.figures["stall_share"] = round(found.stall_share, 4)
    case.figures["longest_stall"] = found.longest_stall
    return activity.check_activity(found)


def _captions(case: _Case) -> str:
    from annotate.timeline import captions
    from verify.captions import check_captions

    recording = case.recording
    expected = 0
    for number, row in enumerate(recording.timeline):
        if row["start"] != expected or row["end"] <= row["start"]:
            return f"timeline row {number} covers [{row['start']}, {row['end']}); it must start at {expected}"
        expected = row["end"]
    if expected != recording.ticks:
        return f"the timeline ends at {expected}, the episode at {recording.ticks}"
    case.figures |= _lengths(recording.timeline)
    rows = captions(recording.instance, recording.timeline)
    return "; ".join(check_captions(recording.instance, recording.timeline, rows))


def _assets(case: _Case) -> str:
    here = case.roots.hashes(case.recording.model)
    there = case.recording.assets
    if here == there:
        return ""
    wrong = sorted(name for name in {*here, *there} if here.get(name) != there.get(name))
    return f"{len(wrong)} asset files are not those the model was made with, first {wrong[0]}"


def _lengths(timeline: list[dict[str, Any]]) -> dict[str, Any]:
    """Number and length (s) of stages and subtasks."""
    from verify.captions import durations

    found: dict[str, Any] = {}
    for name, seconds in (("stage", durations(timeline).stages), ("subtask", durations(timeline).subtasks)):
        found[f"{name}s"] = len(seconds)
        found[f"{name}_seconds"] = {
            "mean": round(float(np.mean(seconds)), 3),
            "min": round(min(seconds), 3),
            "max": round(max(seconds), 3),
        }
    return found


def _plain(row: dict[str, Any]) -> Any:
    return json.loads(json.dumps(row, sort_keys=True))


CHECKS: dict[str, Callable[[_Case], str]] = {
    "instance": _instance,
    "assets": _assets,
    "outcome": _outcome,
    "envelope": lambda case: check_actions(case.recording.actions),
    "finite": lambda case: motion.check_finite(case.recording.states),
    "clock": lambda case: motion.check_clock(case.judging_world.model, case.recording.states),
    "success": _success,
    "events": _events,
    "teleport": _jumps,
    "forces": lambda case: motion.check_forces(case.judging_world, case.recording.states),
    "joint_limits": _joint_limits,
    "room": _room,
    "contacts": _contacts,
    "activity": _activity,
    "captions": _captions,
    "first_state": _first_state,
    "replay": _replay,
}
