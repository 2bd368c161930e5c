"""Where the time of one episode goes: simulated by its oracle, judged, drawn, encoded, written.

Times are CPU seconds of this process, which does all of it in turn: on a quiet machine the wall time, on a busy one
still the same shares.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import mujoco

from pipeline.bench_table import Finding

SEEDS = 5
SMALLEST = 0.005
"""Shares below this are not shown."""


class Stopwatch:
    """Seconds by name. Of nested sections only the innermost runs, so the times add up to the whole."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._stack: list[str] = []
        self._since = 0.0

    def _switch(self) -> None:
        now = time.process_time()
        if self._stack:
            name = self._stack[-1]
            self.seconds[name] = self.seconds.get(name, 0.0) + now - self._since
        self._since = now

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Times the block, without the sections in it."""
        self._switch()
        self._stack.append(name)
        try:
            yield
        finally:
            self._switch()
            self._stack.pop()

    def timed(self, function: Callable, part: str) -> Callable:
        """The function, timed as `<section it is called in>: <part>`."""

        def call(*args: Any, **kwargs: Any) -> Any:
            self._switch()
            self._stack.append(f"{self._stack[-1].partition(':')[0]}: {part}" if self._stack else part)
            try:
                return function(*args, **kwargs)
            finally:
                self._switch()
                self._stack.pop()

        return call


def measure(task: str, layout: int, size: int) -> Iterator[Finding]:
    """One finding for each part of an episode, the largest first.

    Args:
        task: whose oracle acts.
        layout: kitchen.
        size: side of the frames, pixels.
    """
    watch = Stopwatch()
    ticks, success = _episode(watch, task, layout, size)
    total = sum(watch.seconds.values())
    yield Finding(
        part="shares",
        what="one episode",
        ours=f"{total:.0f} CPU s",
        note=f"{task}, layout {layout}, {ticks} ticks, success: {success}; seconds are of this run alone",
    )
    groups = {
        "mj_step": [n for n in watch.seconds if n.endswith(": mj_step")],
        "controllers": [n for n in watch.seconds if n.endswith(": controllers")],
        "rendering": [n for n in watch.seconds if n.startswith("draw")],
        "encoding": [n for n in watch.seconds if n.startswith("encode")],
    }
    for name, members in groups.items():
        share = sum(watch.seconds[n] for n in members) / total
        yield Finding(part="shares", what=f"all {name}", ours=f"{share:.1%}")
    for name, seconds in sorted(watch.seconds.items(), key=lambda item: -item[1]):
        if seconds / total >= SMALLEST:
            yield Finding(part="shares", what=name, ours=f"{seconds / total:.1%}")


def _episode(watch: Stopwatch, task_name: str, layout: int, size: int) -> tuple[int, bool]:
    from oracles import load_oracle
    from oracles.runner import run_episode
    from pipeline.bench_scene import first_scene
    from pipeline.video import encode_episode
    from sim import recording as recordings
    from sim.assets import asset_roots
    from sim.camera import Renderer
    from sim.control import RobotController
    from sim.kitchen import compose
    from sim.render import frames, robot_states
    from tasks import load_task
    from verify.episode import check_recording

    roots, task = asset_roots(None), load_task(task_name)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as patches:
        for owner, name, part in (
            (mujoco, "mj_step1", "mj_step"),
            (mujoco, "mj_step2", "mj_step"),
            (mujoco, "mj_forward", "mj_forward"),
            (RobotController, "control", "controllers"),
            (Renderer, "segmentation", "pictures"),
            (Renderer, "rgb", "pictures"),
        ):
            patches.enter_context(patch.object(owner, name, watch.timed(getattr(owner, name), part)))
        level = task.all_levels()[0]
        for first in range(SEEDS):
            found = first_scene(task, layout, level, roots, seed=first).instance
            watch.seconds.clear()
            with watch.section("compose"):
                kitchen = compose(found.kitchen, roots)
                instance = task.sample(found.seed, level, kitchen)
                model = task.model(instance, kitchen, roots)
            with watch.section("simulate"):
                recording = run_episode(task, load_oracle(task_name), instance, model, roots)
            if recording.outcome["success"]:
                break
        with watch.section("verify"):
            check_recording(recording, roots)
        with watch.section("write"):
            recordings.write(recording, Path(folder) / "recording")
        with watch.section("draw"):
            robot_states(recording, roots)
        with watch.section("encode"):
            pictures = _within(watch, "draw", frames(recording, roots, size))
            encode_episode(pictures, Path(folder), 20, length=recording.ticks)
    return recording.ticks, recording.outcome["success"]


def _within(watch: Stopwatch, name: str, items: Iterator[Any]) -> Iterator[Any]:
    """The items, with the time that making them takes counted under `name`."""
    done = object()
    while True:
        with watch.section(name):
            item = next(items, done)
        if item is done:
            return
        yield item
