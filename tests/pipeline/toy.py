"""A task that takes no time: what the driver calls instead of simulating and drawing, and a command that runs it.

Usage: python toy.py <out> <episodes> <workers> [tries]. Prints the summary as JSON. The file <out>/behaviour.json
says what the seeds do: {"fail": [...], "raise": [...], "die": [...], "die_once": [...], "hang": [...], "full": [...],
"stop": [...], "sleep": seconds}.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.config import GenerateConf, LimitsConf, RenderConf, TaskConf
from pipeline.draw import FPS, DrawJob, publish_drawn
from pipeline.plan import plan
from pipeline.pool import StopRun
from pipeline.prepare import TaskPlan
from pipeline.simulate import SimulateJob
from pipeline.video import encode_episode
from pipeline.workspace import Workspace, publish
from sim import recording as recordings

CAMERAS = ("agentview_left", "agentview_right", "wrist")
FUNCTIONS = ("toy:simulate", "toy:draw")
LEVELS = [{"size": size, "lid": lid} for size in (1, 2) for lid in ("none", "full")]


def behaviour(kind: str, target: Path) -> Any:
    path = target.parents[3] / "behaviour.json"
    return json.loads(path.read_text()).get(kind, []) if path.exists() else []


def simulate(job: SimulateJob) -> dict[str, Any]:
    time.sleep(behaviour("sleep", job.target) or 0)
    misbehave(job)
    rng = np.random.default_rng(job.seed)
    ticks = 20 + job.seed % 5
    name = f"{job.seed:016x}"
    if job.seed in behaviour("fail", job.target):
        return job.row(reason="slipped", instance_id=name, ticks=ticks)
    kitchen = {"layout": job.layout, "style": job.style, "seed": job.seed}
    recordings.write(
        recordings.Recording(
            instance={
                "instance_id": name,
                "task": job.task,
                "seed": job.seed,
                "level": job.level,
                "split": job.split,
                "kitchen": kitchen,
                "goal": f"open box {job.seed % 3}",
            },
            states=rng.standard_normal((ticks + 1, 5)),
            actions=rng.uniform(-1, 1, (ticks, 12)).astype(np.float32),
            spec=0,
            controller=np.zeros(2),
            timeline=[],
            events=[],
            outcome={"success": True, "ticks": ticks, "config": job.stamp},
            model="<mujoco/>",
            assets={},
        ),
        job.draft,
    )
    publish(job.draft, job.target)
    return job.row(success=True, instance_id=name, ticks=ticks)


def misbehave(job: SimulateJob) -> None:
    once = job.target.parent.parent / f"died-{job.seed}"
    if job.seed in behaviour("die", job.target) or (
        job.seed in behaviour("die_once", job.target) and not once.exists()
    ):
        once.touch()
        os._exit(1)
    if job.seed in behaviour("hang", job.target):
        time.sleep(600)
    if job.seed in behaviour("raise", job.target):
        raise ValueError("a mistake in an oracle")
    if job.seed in behaviour("full", job.target):
        raise OSError(errno.ENOSPC, "No space left on device")
    if job.seed in behaviour("stop", job.target):
        raise StopRun("no OpenGL")


def draw(job: DrawJob) -> int:
    time.sleep(behaviour("sleep", job.target) or 0)
    recording = recordings.read(job.recording)
    job.draft.mkdir(parents=True)

    def frames():
        for t in range(recording.ticks):
            yield {camera: np.full((job.size, job.size, 3), 5 * t + k, np.uint8) for k, camera in enumerate(CAMERAS)}

    encoded = encode_episode(frames(), job.draft, FPS, length=recording.ticks)
    robot = np.random.default_rng(recording.instance["seed"]).standard_normal((recording.ticks, 16))
    publish_drawn(job.draft, job.target, encoded, robot.astype(np.float32))
    return recording.ticks


def captions(instance: dict[str, Any], timeline: list[dict[str, Any]]) -> list[Any]:
    from pipeline.lerobot import TimelineRow

    return [
        TimelineRow(0, 10, "look around", "turn to the counter"),
        TimelineRow(10, 20 + instance["seed"] % 5, "open", "pull"),
    ]


def configuration(out: Path, episodes: int, workers: int, tries: int = 3, **more: Any) -> GenerateConf:
    return GenerateConf(
        task={"toy": TaskConf()},
        episodes=episodes,
        workers=workers,
        tries=tries,
        out=str(out),
        limits=LimitsConf(wall_s=4.0, memory_gb=0.2),
        **{"render": RenderConf(size=32), **more},
    )


def plans(conf: GenerateConf) -> list[TaskPlan]:
    slots = plan(LEVELS, lambda level: (12, 17), (1, 2), conf.episodes, conf.seed, conf.tries)
    identity = {"task": "toy", **conf.identity()}
    place = Workspace(Path(conf.out), "toy")
    place.refuse_other(identity)
    return [TaskPlan("toy", slots, identity, place)]


def main(out: str, episodes: str, workers: str, tries: str = "3") -> int:
    # Not at the top: these bring MuJoCo with them, which the workers do not need.
    from pipeline import assemble
    from pipeline.run import run

    assemble.captions = captions
    conf = configuration(Path(out), int(episodes), int(workers), int(tries))
    (summary,) = run(plans(conf), conf, FUNCTIONS)
    print(json.dumps({"episodes": summary.episodes, "attempts": summary.attempts, "failures": summary.failures}))
    return 0


if __name__ == "__main__":
    import toy

    from pipeline.command import run_main

    sys.exit(run_main(lambda: toy.main(*sys.argv[1:])))
