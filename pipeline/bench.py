"""`scripts/bench.py`: how fast this is, as ratios measured in one run on one machine."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pipeline.bench_table import Finding, table
from pipeline.config import BadInput
from pipeline.lerobot_files import write_json
from pipeline.pool import explain
from sim.gl import GLError, setup_gl

PARTS = ("sim", "shares", "writer", "workers", "memory")


@dataclass
class BenchConf:
    """What a user can set.

    Attributes:
        only: parts to measure; empty: all.
        task: whose oracle and props are used.
        layouts: kitchens; the first alone where one is enough.
        episodes: attempts that one worker and two make.
        blocks, ticks: of the simulation part, how often the loops take turns, and for how many ticks.
        frames: ticks of an episode of the writer part, of which each writer writes three.
        memory_episodes, memory_ticks: of the memory part, and the length at which its episodes are cut.
        size: side of the frames, pixels.
        gl: OpenGL backend.
        out: folder for bench.json, or the file's name; None: it is not written.
    """

    only: list[str] = field(default_factory=list)
    task: str = "puzzle_box"
    layouts: list[int] = field(default_factory=lambda: [12, 25])
    episodes: int = 4
    blocks: int = 8
    ticks: int = 20
    frames: int = 100
    memory_episodes: int = 20
    memory_ticks: int = 100
    size: int = 256
    gl: str = "auto"
    out: str | None = None


def bench(conf: BenchConf) -> int:
    """Measures, prints the table; returns the exit code, 1 if a part failed or a ratio is not what it should be.

    Raises BadInput.
    """
    _check(conf)
    try:
        setup_gl(conf.gl)
    except GLError as error:
        raise BadInput(str(error)) from error
    target = _target(conf)
    findings: list[Finding] = []
    for name in PARTS:
        if not conf.only or name in conf.only:
            print(f"measuring: {name}", flush=True)
            findings += _findings(name, conf)
    print(f"\n{table(findings)}")
    if target is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        write_json(target, {"machine": _machine(), "settings": asdict(conf), "findings": _plain(findings)})
        print(f"\nwritten to {target}")
    return int(any(finding.met is False for finding in findings))


def _findings(name: str, conf: BenchConf) -> Iterator[Finding]:
    """What a part finds; if it fails, also that, so that the other parts are not lost."""
    try:
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            yield from _measure(name, conf, Path(folder))
    except Exception as error:
        yield Finding(name, "failed", "", note=explain(error), failed=True)


def _measure(name: str, conf: BenchConf, folder: Path) -> Iterator[Finding]:
    from pipeline import bench_shares, bench_simulation, bench_workers, bench_writer

    layout = conf.layouts[0]
    if name == "sim":
        return bench_simulation.measure(conf.task, conf.layouts, conf.blocks, conf.ticks)
    if name == "shares":
        return bench_shares.measure(conf.task, layout, conf.size)
    if name == "writer":
        return bench_writer.measure(folder, layout, conf.size, conf.frames, 3)
    if name == "workers":
        return bench_workers.measure_speed(folder, conf.task, layout, conf.episodes)
    return bench_workers.measure_memory(folder, conf.task, conf.layouts, conf.memory_episodes, conf.memory_ticks)


def _check(conf: BenchConf) -> None:
    from tasks import task_names

    for name in conf.only:
        if name not in PARTS:
            raise BadInput(f"only={name} is not known; the parts are {', '.join(PARTS)}")
    if conf.task not in task_names():
        raise BadInput(f"there is no task {conf.task!r}; there are {', '.join(task_names())}")
    if not conf.layouts:
        raise BadInput("layouts is empty; name at least one, for example layouts=[12]")
    for name in ("episodes", "blocks", "ticks", "frames", "memory_episodes", "memory_ticks"):
        if getattr(conf, name) < 1:
            raise BadInput(f"{name}={getattr(conf, name)} is too small: it must be at least 1")
    if conf.size < 16 or conf.size % 2:
        raise BadInput(f"size={conf.size} cannot be encoded: it must be even and at least 16, for example 256")


def _target(conf: BenchConf) -> Path | None:
    if conf.out is None:
        return None
    path = Path(conf.out).expanduser().absolute()
    return path if path.suffix == ".json" else path / "bench.json"


def _machine() -> dict[str, object]:
    return {
        "processor": platform.machine(),
        "cpus": len(os.sched_getaffinity(0)),
        "load": [round(value, 2) for value in os.getloadavg()],
        "python": platform.python_version(),
    }


def _plain(findings: list[Finding]) -> list[dict[str, object]]:
    return [{**asdict(finding), "met": finding.met} for finding in findings]
