"""One attempt at one episode, in a worker: compose the kitchen, sample, simulate, verify, publish the recording.

Nothing heavy is imported before OpenGL is chosen, and then only here.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pipeline.pool import StopRun
from sim.gl import GLError, setup_gl

VERSIONED = ("mujoco", "numpy", "praxis-robocasa", "praxis-robosuite")


@dataclass(frozen=True)
class SimulateJob:
    """One attempt.

    Attributes:
        task, slot, attempt: which one.
        seed, level, layout, style, split: what to sample.
        assets: kitchen assets, None for the stand-in pack.
        gl: OpenGL backend.
        stamp: digest of the run's settings, for outcome.json.
        draft: folder name to write under.
        target: where the recording of a success is published.
        failed: where the recording of a failure is published, or None to drop it.
    """

    task: str
    slot: int
    attempt: int
    seed: int
    level: dict[str, Any]
    layout: int
    style: int
    split: str
    assets: str | None
    gl: str
    stamp: str
    draft: Path
    target: Path
    failed: Path | None = None

    def row(self, **more: Any) -> dict[str, Any]:
        """The row of this attempt in attempts.jsonl."""
        return {
            "task": self.task,
            "slot": self.slot,
            "attempt": self.attempt,
            "instance_id": None,
            "seed": self.seed,
            "level": self.level,
            "layout": self.layout,
            "style": self.style,
            "split": self.split,
            "success": False,
            "reason": "",
            "detail": "",
            "ticks": 0,
            "rewinds": 0,
            **more,
        }


@dataclass
class _Clock:
    """Wall-clock seconds of the parts of an attempt. They go into the log, never into the dataset."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = round(time.perf_counter() - start, 3)


def simulate(job: SimulateJob) -> dict[str, Any]:
    """Makes the attempt; returns its row. A success is published before this returns.

    Raises:
        StopRun: no attempt can work on this machine.
    """
    try:
        setup_gl(job.gl)
    except GLError as error:
        raise StopRun(str(error)) from error
    from oracles import load_oracle
    from oracles.runner import run_episode
    from pipeline.workspace import publish
    from sim import recording as recordings
    from sim.assets import AssetError, asset_roots
    from sim.kitchen import KitchenId, compose
    from tasks import load_task
    from tasks.base import SamplingError
    from verify.episode import check_recording

    clock = _Clock()
    try:
        roots = asset_roots(job.assets)
        with clock("compose_s"):
            kitchen = compose(KitchenId(job.layout, job.style, job.seed), roots)
        task = load_task(job.task)
        try:
            with clock("sample_s"):
                instance = task.sample(job.seed, job.level, kitchen, job.split)
        except SamplingError as error:
            return job.row(reason="sampling", detail=str(error), **clock.seconds)
        with clock("simulate_s"):
            model = task.model(instance, kitchen, roots)
            recording = run_episode(task, load_oracle(job.task), instance, model, roots)
        recording = replace(recording, outcome={**recording.outcome, **_origin(job, task.version)})
        outcome = recording.outcome
        row = job.row(
            instance_id=instance.instance_id,
            ticks=outcome["ticks"],
            rewinds=outcome.get("rewinds", 0),
            progress=outcome["progress"],
        )
        if outcome["success"]:
            with clock("verify_s"):
                verdict = check_recording(recording, roots)
            row |= _judged(verdict)
        else:
            reason, _, detail = outcome["reason"].partition(": ")
            row |= {"reason": reason, "detail": detail}
    except AssetError as error:
        raise StopRun(str(error)) from error
    target = job.target if row["success"] else job.failed
    if target is not None:
        shutil.rmtree(job.draft, ignore_errors=True)  # of a worker that died just before publishing
        recordings.write(recording, job.draft)
        publish(job.draft, target)
    return row | clock.seconds


def _judged(verdict: Any) -> dict[str, Any]:
    if verdict.ok:
        return {"success": True}
    failures = dict(verdict.failures)
    first = next(iter(failures), "verify")
    return {"reason": f"verify:{first}", "detail": str(failures.get(first, "")), "failures": failures}


def _origin(job: SimulateJob, task_version: str) -> dict[str, Any]:
    versions = {"task": task_version}
    for package in VERSIONED:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:  # a checkout of RoboCasa instead of the package
            versions[package] = "unknown"
    return {"versions": versions, "config": job.stamp}
