"""One worker and two, and a worker's memory over twenty episodes: Ray and the pipeline's own jobs."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.bench_table import Finding
from pipeline.config import BadInput, ClusterConf, LimitsConf
from pipeline.pool import Kind, Pool
from pipeline.simulate import SimulateJob

SPEED_WANTED = 1.7
MEMORY_WANTED = 2.5
GROWTH_WANTED = 0.1
"""GB between the third episode, when all caches are warm, and the last."""
WARM = 3
DRAWN = 20


@dataclass(frozen=True)
class ShortJob:
    """An episode cut short: everything that a worker does, on fewer ticks."""

    task: str
    seed: int
    layout: int
    ticks: int
    size: int


def measure_speed(folder: Path, task: str, layout: int, episodes: int) -> Iterator[Finding]:
    """Speed-up from one to two workers, for the same attempts."""
    steady, whole = {}, {}
    for workers in (1, 2):
        start = time.perf_counter()
        pool = Pool(ClusterConf(), workers, LimitsConf(calls=1000))
        try:
            _run(pool, "pipeline.bench_workers:short", [ShortJob(task, 0, layout, 5, 64)] * workers, folder)
            ready = time.perf_counter()
            jobs = [_job(task, layout, folder / f"{workers}-{k}") for k in range(episodes)]
            rows = _run(pool, "pipeline.simulate:simulate", jobs, folder)
        finally:
            pool.close()
        end = time.perf_counter()
        steady[workers], whole[workers] = end - ready, end - start
    ticks = sum(row["ticks"] for row in rows)
    yield Finding(
        part="workers",
        what=f"{episodes} episodes",
        ours=f"{steady[2]:.1f} s with 2",
        other=f"{steady[1]:.1f} s with 1",
        ratio=steady[1] / steady[2],
        wanted=SPEED_WANTED,
        note=f"the same attempt {episodes} times ({ticks} ticks in all), composed, simulated, verified and recorded; "
        "the workers were warm",
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
    pool = Pool(ClusterConf(), 1, LimitsConf(calls=1000))
    jobs = [ShortJob(task, k, layouts[k % len(layouts)], ticks, 256) for k in range(episodes)]
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
    """Runs in the worker. Returns its resident and peak memory, GB."""
    from sim.gl import setup_gl

    setup_gl()
    from dataclasses import replace

    from oracles import load_oracle
    from oracles.runner import run_episode
    from pipeline.video import encode_episode
    from sim.assets import asset_roots
    from sim.kitchen import KitchenId, compose
    from sim.render import frames
    from tasks import load_task
    from verify.episode import check_recording

    roots, task = asset_roots(None), load_task(job.task)
    task.tick_limit = job.ticks
    kitchen = compose(KitchenId(job.layout, 1 + job.seed % 10, job.seed), roots)
    levels = task.all_levels()
    instance = task.sample(job.seed, levels[job.seed % len(levels)], kitchen)
    recording = run_episode(task, load_oracle(job.task), instance, task.model(instance, kitchen, roots), roots)
    check_recording(recording, roots)
    count = min(DRAWN, recording.ticks)
    start = replace(recording, states=recording.states[: count + 1], actions=recording.actions[:count])
    with tempfile.TemporaryDirectory() as folder:
        encode_episode(frames(start, roots, job.size), Path(folder), 20, length=count)
    return memory()


def memory() -> dict[str, float]:
    """Resident memory of this process now, and at most so far, GB."""
    import resource

    import psutil

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"resident": psutil.Process().memory_info().rss / 1e9, "peak": peak / 1e9}


def _job(task: str, layout: int, place: Path) -> SimulateJob:
    from tasks import load_task

    return SimulateJob(
        task=task,
        slot=0,
        attempt=0,
        seed=0,
        level=load_task(task).all_levels()[0],
        layout=layout,
        style=1,
        split="train",
        assets=None,
        gl="auto",
        stamp="bench",
        draft=place.with_name(f"{place.name}.draft"),
        target=place,
    )


def _run(pool: Pool, function: str, jobs: Sequence[Any], folder: Path) -> list[Any]:
    """What the calls return, in order. Raises BadInput if one fails."""
    waiting, values = list(enumerate(jobs)), {}
    while waiting or pool.busy:
        while waiting and pool.free > 0:
            key, job = waiting.pop(0)
            pool.submit(key, function, job, marker=folder / f"started-{key}", limit=3600.0)
        for key, result in pool.wait(1.0):
            if result.kind != Kind.DONE:
                raise BadInput(f"a job of the bench ended as {result.kind}: {result.detail.strip()[-500:]}")
            values[key] = result.value
    return [values[key] for key in sorted(values)]
