"""Time of a tick: our World against robosuite's `env.step` in the same kitchen, the robot at the same spot.

Short blocks take turns, so that what else the machine does falls on all; times are CPU seconds of this process, which
all loops spend on one thread. Our World is timed with the task's props in it as well, which `env.step` is spared.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import mujoco
import numpy as np

from pipeline.bench_scene import first_scene
from pipeline.bench_table import Finding
from sim.assets import asset_roots
from sim.kitchen import KitchenId, _robocasa_kitchen
from sim.model import begin_model, finish_model
from sim.robot import BASE, BASE_MODE, RobotIds
from sim.world import World
from tasks import load_task

WANTED = 3.0


@dataclass(frozen=True)
class Scenes:
    """One kitchen three times, at rest: ours, ours with the task's props, and robosuite's environment."""

    world: World
    task_world: World
    env: Any

    def apart(self) -> float:
        """Largest difference of the arm's joints between the two empty kitchens, rad."""
        sim = self.env.sim
        theirs = sim.data._data.qpos[RobotIds.resolve(sim.model._model).arm_qpos]
        return float(np.abs(self.world.data.qpos[self.world.ids.arm_qpos] - theirs).max())


def measure(task: str, layouts: list[int], blocks: int, ticks: int) -> Iterator[Finding]:
    """Two findings a layout: without and with the props of `task`.

    Args:
        task: whose props.
        layouts: kitchens.
        blocks: how often the loops take turns.
        ticks: in a block.
    """
    for layout in layouts:
        scenes = build(task, layout)
        steps = {"world": scenes.world.tick, "task": scenes.task_world.tick, "env": scenes.env.step}
        actions = motion((blocks + 1) * ticks)
        times: dict[str, list[float]] = {name: [] for name in steps}
        apart = 0.0
        for k in range(blocks + 1):
            block = actions[k * ticks : (k + 1) * ticks]
            for name in list(steps) if k % 2 else reversed(steps):
                times[name].append(_time(steps[name], block))
            apart = max(apart, scenes.apart())
        ms = {name: np.array(values[1:]) / ticks * 1000 for name, values in times.items()}  # the first warms up
        env = median(ms["env"])
        for name, world, what in (("world", scenes.world, ""), ("task", scenes.task_world, f" with {task}")):
            ratios = ms["env"] / ms[name]
            yield Finding(
                part="simulation",
                what=f"a tick, layout {layout}{what}, nv {world.model.nv} against {scenes.env.sim.model._model.nv}",
                ours=f"{median(ms[name]):.2f} ms",
                other=f"{env:.2f} ms env.step",
                ratio=float(env / median(ms[name])),
                wanted=WANTED,
                note=f"{blocks} blocks of {ticks} ticks, ratio {ratios.min():.1f} to {ratios.max():.1f}"
                + ("" if what else f"; arm joints at most {apart:.1g} rad apart"),
            )


def build(task_name: str, layout: int) -> Scenes:
    """Composes one kitchen for all three. Raises SamplingError if the task's props do not fit."""
    roots = asset_roots(None)
    task = load_task(task_name)
    scene = first_scene(task, layout, task.all_levels()[-1], roots)
    kitchen, instance = scene.kitchen, scene.instance
    task_world = task.world(instance, task.model(instance, kitchen, roots), roots)
    base = task_world.model.body("robot0_base")
    at = (float(base.pos[0]), float(base.pos[1]), 2 * math.atan2(base.quat[3], base.quat[0]))
    world = World(finish_model(begin_model(kitchen, roots, at, timestep=task.timestep), roots), roots)
    for each in (world, task_world):
        each.reset()
    return Scenes(world, task_world, _environment(kitchen.id, roots, at))


def _environment(kitchen_id: KitchenId, roots: Any, base: tuple[float, float, float]) -> Any:
    """RoboCasa's environment with the kitchen that `compose` reads, as robosuite itself would run it."""
    env = _robocasa_kitchen(kitchen_id, roots)
    x, y, yaw = base
    robot = env.robots[0].robot_model
    robot.set_base_xpos([x, y, 0.0])
    robot.set_base_ori([0.0, 0.0, yaw])
    env._initialize_sim()
    env.hard_reset = False  # a hard reset would draw another decor
    env.ignore_done = True
    env.reset()
    model, data = env.sim.model._model, env.sim.data._data
    ids = RobotIds.resolve(model)
    data.qpos[ids.base_qpos] = 0.0  # RoboCasa's reset drives the base to a place of its own choice
    data.qvel[:] = 0.0
    mujoco.mj_forward(model, data)
    env.robots[0].reset(deterministic=True)
    idle = np.zeros(12)
    idle[6] = idle[BASE_MODE] = -1.0
    for _ in range(10):
        env.step(idle)
    return env


def motion(ticks: int) -> np.ndarray:
    """Actions (ticks, 12) as a demonstration has them: the arm reaches about, now and then the base turns a little."""
    rng = np.random.default_rng(0)
    actions = np.zeros((ticks, 12))
    actions[:, 6] = actions[:, BASE_MODE] = -1.0
    for start in range(0, ticks, 10):
        piece = slice(start, start + 10)
        if start // 10 % 3 == 2:
            actions[piece, BASE_MODE] = 1.0
            actions[piece, BASE] = [0.0, 0.0, 0.3 * (-1) ** (start // 30)]
        else:
            actions[piece, 0:3] = rng.uniform(-0.25, 0.25, 3)
            actions[piece, 3:6] = rng.uniform(-0.15, 0.15, 3)
    return actions


def _time(step: Callable[[np.ndarray], Any], actions: np.ndarray) -> float:
    start = time.process_time()
    for action in actions:
        step(action)
    return time.process_time() - start
