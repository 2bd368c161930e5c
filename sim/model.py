"""From a composed kitchen to the stored model of one instance: place the robot, add props, write it down."""

from __future__ import annotations

from collections.abc import Collection

import mujoco
import numpy as np

from sim.assets import AssetRoots
from sim.kitchen import Kitchen


def begin_model(
    kitchen: Kitchen,
    roots: AssetRoots,
    base: tuple[float, float, float],
    *,
    timestep: float = 0.002,
    keep_joints: Collection[str] = (),
) -> mujoco.MjSpec:
    """The kitchen as an editable model, with the robot at its start.

    Args:
        base: world x, y (m) and yaw (rad) of the robot's base frame.
        timestep: physics step, s.
        keep_joints: fixture joints that the task uses; all others do not exist.
    """
    spec = mujoco.MjSpec.from_string(roots.load(kitchen.model_xml(keep_joints)))
    spec.option.timestep = timestep
    robot = spec.body("robot0_base")
    x, y, yaw = base
    robot.pos = [x, y, robot.pos[2]]
    robot.quat = [np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)]
    return spec


def finish_model(spec: mujoco.MjSpec, roots: AssetRoots) -> str:
    """The stored model. What runs is always loaded from this text, so that a replay compiles the very same numbers."""
    spec.compile()
    return roots.store(spec.to_xml())
