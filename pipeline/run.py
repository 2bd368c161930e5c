"""The driver: fills every slot of every task with a demonstration, then writes the datasets.

    slot:  simulate attempt 0 -> failed: attempt 1, 2, ... -> given up
                              -> verified and published -> drawn and published -> done

What has happened is on disk only: rows of the log, published recordings, published videos. A run reads them at its
start and goes on from there, so a first run and a resumed one are the same code.
"""

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.attempts import HUNG, WORKER_DIED, AttemptLog, failures
from pipeline.config import BadInput, GenerateConf, digest
from pipeline.draw import DrawJob
from pipeline.plan import Slot
from pipeline.pool import Kind, Pool, Result
from pipeline.prepare import TaskPlan, resolved
from pipeline.progress import Display, Tally
from pipeline.simulate import SimulateJob
from pipeline.workspace import OutLock

SIMULATE = "pipeline.simulate:simulate"
DRAW = "pipeline.draw:draw"
POLL_S = 1.0
DRAW_TRIES = 3
BROKEN_STREAK = 8
"""So many results in a row that are crashes, and no other, mean that something else than the seeds is wrong."""


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
            style=slot.style,
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


@dataclass(frozen=True)
class Summary:
    """What came of a task."""

    task: str
    wanted: int
    episodes: int
    attempts: int
    failures: dict[str, int]
    dataset: Path | None


def run(
    plans: Sequence[TaskPlan],
    conf: GenerateConf,
    functions: tuple[str, str] = (SIMULATE, DRAW),
    pool: Pool | None = None,
) -> list[Summary]:
    """Makes the datasets of the plans.

    Args:
        plans: from `prepare`.
        conf: the configuration they were prepared from.
        functions: import strings of what simulates an attempt and what draws an episode.
        pool: workers to use, and to leave running; by default they are started for this run, if there is work.

    Raises:
        RunStopped: the run cannot go on; the same command goes on from there.
    """
    out = plans[0].place.out
    lock = OutLock(out)
    log = AttemptLog(out / "attempts.jsonl")
    try:
        tasks = []
        for plan in plans:
            if not plan.place.is_complete():
                plan.place.claim(plan.identity, resolved(conf))
                tasks.append(TaskRun(plan, conf, log, functions))
        if tasks:
            _drive(tasks, conf, pool)
        for plan in plans:
            plan.place.clean()
        return [_summary(plan, log) for plan in plans]
    finally:
        log.close()
        lock.close()


def _drive(tasks: list[TaskRun], conf: GenerateConf, given: Pool | None) -> None:
    waiting = []
    for task in tasks:
        if task.settled:
            _assemble(task, conf)
        else:
            waiting.append(task)
    if not waiting:
        return
    pool = given or Pool(conf.cluster, conf.workers, conf.limits)
    by_name = {task.plan.name: task for task in waiting}
    streak = 0
    try:
        with Display([task.tally for task in tasks]) as display:
            while waiting:
                _fill(pool, waiting)
                for call, result in pool.wait(POLL_S):
                    task = by_name[call.task]
                    task.take(call, result)
                    streak = streak + 1 if result.kind in (Kind.DIED, Kind.ERROR) else 0
                    if streak >= max(BROKEN_STREAK, 2 * pool.workers):
                        raise RunStopped(
                            f"the last {streak} attempts all crashed, so something is wrong beyond the seeds: "
                            f"{_last_line(result.detail)}"
                        )
                for task in [task for task in waiting if task.settled]:
                    _assemble(task, conf)
                    waiting.remove(task)
                display.show()
    finally:
        if given is None:
            pool.close()


def _fill(pool: Pool, tasks: Sequence[TaskRun]) -> None:
    for task in tasks:
        while pool.free > 0:
            call = task.next_call(pool.workers)
            if call is None:
                break
            pool.submit(call, call.function, call.job, marker=call.marker, limit=call.limit)


def _assemble(task: TaskRun, conf: GenerateConf) -> None:
    """Writes the dataset of a task whose slots are settled; the work goes when the whole run has ended well."""
    from pipeline import assemble

    place, rendered = task.place, conf.render.enabled
    sources = [
        assemble.Source(place.recording(key), place.rendered(key) if rendered else None)
        for _, key in sorted(task.done.items())
    ]
    if not sources:
        return
    if rendered:
        assemble.write(place.dataset, sources, conf.output.keys)
    else:
        assemble.write_recordings(place.dataset, sources)


def _summary(plan: TaskPlan, log: AttemptLog) -> Summary:
    rows = log.of(plan.name)
    there = plan.place.is_complete()
    episodes = len(list((plan.place.dataset / "extras").iterdir())) if there else 0
    counts = dict(failures(rows))
    return Summary(plan.name, len(plan.slots), episodes, len(rows), counts, plan.place.dataset if there else None)


def _without_paths(identity: dict[str, Any]) -> dict[str, Any]:
    """The recording says by hash which assets it was made with; where they lay is nobody's business."""
    kitchen = {name: value for name, value in identity["kitchen"].items() if name != "assets"}
    return {**identity, "kitchen": kitchen}


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"
