"""The slots of one task: what is to be done next, and what a result changes."""

from __future__ import annotations

import uuid
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.attempts import HUNG, WORKER_DIED, AttemptLog, failures
from pipeline.config import BadInput, GenerateConf, digest
from pipeline.draw import DrawJob
from pipeline.plan import Slot
from pipeline.pool import Kind, Result
from pipeline.prepare import TaskPlan
from pipeline.progress import Tally
from pipeline.simulate import SimulateJob

DRAW_TRIES = 3


class RunStopped(BadInput):
    """The run cannot go on; what it has made stays for the next one."""


@dataclass(frozen=True)
class Call:
    """A call to a worker."""

    task: str
    slot: int
    function: str
    job: Any
    marker: Path
    limit: float


@dataclass
class _Work:
    """A slot on its way."""

    slot: Slot
    attempt: int = 0
    draws: int = 0
    drawing: bool = False

    @property
    def key(self) -> str:
        return f"{self.slot.index:06d}-{self.attempt}"


class TaskRun:
    """The slots of one task: what is to be done next, and what a result changes."""

    def __init__(self, plan: TaskPlan, conf: GenerateConf, log: AttemptLog, functions: tuple[str, str]) -> None:
        self.plan, self.place, self._conf, self._log = plan, plan.place, conf, log
        self._simulate, self._draw = functions
        self._token = uuid.uuid4().hex[:12]
        self._stamp = digest(_without_paths(plan.identity))
        self._to_simulate: deque[_Work] = deque()
        self._to_draw: deque[_Work] = deque()
        self._away: dict[int, _Work] = {}
        self.done: dict[int, str] = {}
        self.tally = Tally(plan.name, len(plan.slots))
        for slot in plan.slots:
            self._place_slot(_Work(slot))
        rows = log.of(plan.name)
        self.tally.attempts, self.tally.failures = len(rows), failures(rows)
        self._count()
        self.tally.kept = self.tally.done

    def _place_slot(self, work: _Work) -> None:
        """Puts a slot where the disk says it is."""
        while work.attempt < work.slot.tries:
            verdict = self._log.verdict(self.plan.name, work.slot.index, work.attempt)
            if verdict is None or (verdict and not self.place.recording(work.key).is_dir()):
                self.place.forget(work.key)
                self._to_simulate.append(work)
                return
            if verdict:
                if self._conf.render.enabled and not self.place.rendered(work.key).is_dir():
                    self._to_draw.append(work)
                else:
                    self.done[work.slot.index] = work.key
                return
            work.attempt, work.draws = work.attempt + 1, 0
        self.tally.given_up += 1

    def _count(self) -> None:
        drawing = sum(work.drawing for work in self._away.values())
        self.tally.done, self.tally.recorded = len(self.done), len(self._to_draw) + drawing

    def _note(self, row: dict[str, Any]) -> None:
        if self._log.append(row):
            self.tally.attempts += 1
            if not row["success"]:
                self.tally.failures[row["reason"]] += 1

    @property
    def settled(self) -> bool:
        """Whether no slot needs anything more."""
        return not (self._to_simulate or self._to_draw or self._away)

    def next_call(self, workers: int) -> Call | None:
        """The next thing to do. Simulations go first while few recordings wait: so the queue for drawing never runs
        dry, and a run does not end with one worker simulating while the others have nothing to draw."""
        if self._to_simulate and len(self._to_draw) < 2 * workers:
            work = self._to_simulate.popleft()
            task = self._conf.task.get(self.plan.name)
            limit = (task.wall_s if task else None) or self._conf.limits.wall_s
            call = self._call(work, self._simulate, self._simulate_job(work), limit)
        elif self._to_draw:
            work = self._to_draw.popleft()
            work.drawing = True
            call = self._call(work, self._draw, self._draw_job(work), self._conf.limits.render_s)
        else:
            return None
        self._away[work.slot.index] = work
        return call

    def _call(self, work: _Work, function: str, job: Any, limit: float) -> Call:
        return Call(self.plan.name, work.slot.index, function, job, self.place.started(work.key), limit)

    def _simulate_job(self, work: _Work) -> SimulateJob:
        slot = work.slot
        failed = self.place.out / "failed" / self.plan.name / work.key
        return SimulateJob(
            task=self.plan.name,
            slot=slot.index,
            attempt=work.attempt,
            seed=slot.seed(work.attempt),
            level=slot.level,
            layout=slot.layout,
            style=slot.style(work.attempt),
            split=self._conf.split,
            assets=self._conf.kitchen.assets,
            gl=self._conf.render.gl,
            stamp=self._stamp,
            draft=self.place.drafts / f"{self._token}-{work.key}",
            target=self.place.recording(work.key),
            failed=failed if self._conf.keep_failed else None,
        )

    def _draw_job(self, work: _Work) -> DrawJob:
        render = self._conf.render
        return DrawJob(
            recording=self.place.recording(work.key),
            draft=self.place.drafts / f"{self._token}-{work.key}",
            target=self.place.rendered(work.key),
            size=render.size,
            supersample=render.supersample,
            meshes=render.meshes,
            gl=render.gl,
            assets=self._conf.kitchen.assets,
        )

    def take(self, call: Call, result: Result) -> None:
        """Notes how a call ended. Raises RunStopped."""
        if result.kind == Kind.DISK_FULL:
            raise RunStopped(
                f"the disk of {self.place.out} is full; free some space and repeat the command to go on from here"
            )
        if result.kind == Kind.STOP:
            raise RunStopped(result.detail)
        work = self._away.pop(call.slot)
        work.drawing = False
        if call.function == self._simulate:
            self._note(self._row(call.job, result))
            self._place_slot(work)
        elif result.kind == Kind.DONE or work.draws + 1 < DRAW_TRIES:
            work.draws += 1
            self._place_slot(work)
        else:
            self._note(self._simulate_job(work).row(reason=f"draw:{result.kind}", detail=result.detail))
            self._place_slot(work)
        self._count()

    def _row(self, job: SimulateJob, result: Result) -> dict[str, Any]:
        if result.kind == Kind.DONE:
            return result.value
        reason = {Kind.DIED: WORKER_DIED, Kind.HUNG: HUNG}.get(result.kind, f"error:{result.value}")
        return job.row(reason=reason, detail=result.detail)


def _without_paths(identity: dict[str, Any]) -> dict[str, Any]:
    """The recording says by hash which assets it was made with; where they lay is nobody's business."""
    kitchen = {name: value for name, value in identity["kitchen"].items() if name != "assets"}
    return {**identity, "kitchen": kitchen}
