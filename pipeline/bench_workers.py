"""One worker and two, and a worker's memory over twenty episodes: Ray and the pipeline's own jobs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.bench_table import Finding
from pipeline.config import ClusterConf, LimitsConf
from pipeline.pool import Kind, Pool
from pipeline.simulate import SimulateJob

SPEED_WANTED = 1.7
MEMORY_WANTED = 2.5
GROWTH_WANTED = 0.1
"""GB between the third episode, when all caches are warm, and the last."""
WARM = 3
DRAWN = 20


class BenchError(RuntimeError):
    """A worker could not do what was to be measured."""


@dataclass(frozen=True)
class ShortJob:
    """An episode cut short: everything that a worker does, on fewer ticks."""

    task: str
    seed: int
    layout: int
    level: dict[str, Any]
    ticks: int
    size: int


def measure_speed(folder: Path, task: str, layout: int, episodes: int) -> Iterator[Finding]:
    """Speed-up from one to two workers, for the same attempts."""
    from tasks import load_task

    level = load_task(task).all_levels()[0]
    warm = ShortJob(task, seed=0, layout=layout, level=level, ticks=5, size=64)
    steady, whole = {}, {}
    for workers in (1, 2):
        start = time.perf_counter()
        pool = Pool(ClusterConf(), workers, LimitsConf(calls=1000))
        try:
            found = _run(pool, "pipeline.bench_workers:short", [warm] * workers, folder)[0]
            ready = time.perf_counter()
            jobs = [_job(warm, found, folder / f"{workers}-{k}") for k in range(episodes)]
            rows = _run(pool, "pipeline.simulate:simulate", jobs, folder)
        finally:
            pool.close()
        end = time.perf_counter()
        steady[workers], whole[workers] = end - ready, end - start
    ticks, successes = sum(row["ticks"] for row in rows), sum(row["success"] for row in rows)
    yield Finding(
        part="workers",
        what=f"{episodes} episodes",
        ours=f"{steady[2]:.1f} s with 2",
        other=f"{steady[1]:.1f} s with 1",
        ratio=steady[1] / steady[2],
        wanted=SPEED_WANTED,
        note=f"the same attempt {episodes} times ({ticks} ticks in all, {successes} successes), composed, simulated, "
        "verified and recorded; the workers were warm",
    )
    yield Finding(
        part="workers",
        what="with the start of Ray and workers",
        ours=f"{whole[2]:.1f} s with 2",
        other=f"{whole[1]:.1f} s with 1",
        ratio=whole[1] / whole[2],
    )


def measure_memory(folder: Path, task: str, layouts: Sequence[int], episodes: int, ticks: int) -> Iterator[Finding]:
    """Memory of one worker process that is not replaced."""
    from tasks import load_task

    levels = load_task(task).all_levels()
    jobs = [ShortJob(task, k, layouts[k % len(layouts)], levels[k % len(levels)], ticks, 256) for k in range(episodes)]
    pool = Pool(ClusterConf(), 1, LimitsConf(calls=1000))
    try:
        rows = _run(pool, "pipeline.bench_workers:short", jobs, folder)
    finally:
        pool.close()
    resident = [row["resident"] for row in rows]
    marks = sorted({1, WARM, 10, 20, episodes} & set(range(1, episodes + 1)))
    yield Finding(
        part="memory",
        what="peak of a worker",
        ours=f"{rows[-1]['peak']:.2f} GB",
        ratio=rows[-1]["peak"],
        wanted=MEMORY_WANTED,
        at_most=True,
        note=f"{episodes} episodes of at most {ticks} ticks on layouts {', '.join(map(str, layouts))}, each composed, "
        f"simulated, verified and {DRAWN} ticks of it drawn, in one process",
    )
    yield Finding(
        part="memory",
        what=f"growth from episode {WARM} to {episodes}, GB",
        ours=", ".join(f"{resident[k - 1]:.2f} GB after {k}" for k in marks),
        ratio=resident[-1] - resident[min(WARM, episodes) - 1],
        wanted=GROWTH_WANTED,
        at_most=True,
    )


def short(job: ShortJob) -> dict[str, Any]:
    """Runs in the worker. Returns its resident and peak memory, GB, and the seed and style that gave an instance."""
    from sim.gl import setup_gl

    setup_gl()
    from oracles import load_oracle
    from oracles.runner import run_episode
    from pipeline.bench_scene import first_scene
    from pipeline.video import encode_episode
    from sim.assets import asset_roots
    from sim.render import frames
    from tasks import load_task
    from verify.episode import check_recording

    roots, task = asset_roots(None), load_task(job.task)
    task.tick_limit = job.ticks
    scene = first_scene(task, job.layout, job.level, roots, seed=job.seed)
    model = task.model(scene.instance, scene.kitchen, roots)
    recording = run_episode(task, load_oracle(job.task), scene.instance, model, roots)
    check_recording(recording, roots)
    count = min(DRAWN, recording.ticks)
    start = replace(recording, states=recording.states[: count + 1], actions=recording.actions[:count])
    with tempfile.TemporaryDirectory() as folder:
        encode_episode(frames(start, roots, job.size), Path(folder), 20, length=count)
    return {**memory(), "seed": scene.instance.seed, "style": scene.kitchen.id.style}


def memory() -> dict[str, float]:
    """Resident memory of this process now, and at most so far, GB."""
    import resource

    import psutil

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"resident": psutil.Process().memory_info().rss / 1e9, "peak": peak / 1e9}


def _job(short_job: ShortJob, found: dict[str, Any], place: Path) -> SimulateJob:
    """The whole attempt at the instance that a short job has found."""
    return SimulateJob(
        task=short_job.task,
        slot=0,
        attempt=0,
        seed=found["seed"],
        level=short_job.level,
        layout=short_job.layout,
        style=found["style"],
        split="train",
        assets=None,
        gl="auto",
        stamp="bench",
        draft=place.with_name(f"{place.name}.draft"),
        target=place,
    )


def _run(pool: Pool, function: str, jobs: Sequence[Any], folder: Path) -> list[Any]:
    """What the calls return, in order. Raises BenchError if one fails."""
    waiting, values = list(enumerate(jobs)), {}
    while waiting or pool.busy:
        while waiting and pool.free > 0:
            key, job = waiting.pop(0)
            pool.submit(key, function, job, marker=folder / f"started-{key}", limit=3600.0)
        for key, result in pool.wait(1.0):
            if result.kind != Kind.DONE:
                raise BenchError(f"a job ended as {result.kind}: {result.detail}")
            values[key] = result.value
    return [values[key] for key in sorted(values)]
