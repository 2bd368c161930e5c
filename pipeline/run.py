"""The driver: fills every slot of every task with a demonstration, then writes the datasets.

    slot:  simulate attempt 0 -> failed: attempt 1, 2, ... -> given up
                              -> verified and published -> drawn and published -> done

What has happened is on disk only: rows of the log, published recordings, published videos. A run reads them at its
start and goes on from there, so a first run and a resumed one are the same code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.attempts import AttemptLog, failures
from pipeline.config import GenerateConf
from pipeline.pool import Kind, Pool
from pipeline.prepare import TaskPlan, resolved
from pipeline.progress import Display
from pipeline.slots import RunStopped, TaskRun
from pipeline.workspace import OutLock

SIMULATE = "pipeline.simulate:simulate"
DRAW = "pipeline.draw:draw"
POLL_S = 1.0
BROKEN_STREAK = 8
"""So many results in a row that are crashes, and no other, mean that something else than the seeds is wrong."""


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


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else "no message"
