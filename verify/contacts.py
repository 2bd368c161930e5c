"""How deep the robot is inside of things: a base driven through furniture, an arm in a cupboard.

Depths come from MuJoCo's narrow phase on the recorded poses. Kitchen fixtures are the geoms with the fixtures'
contact bit (see sim.kitchen); whatever else can collide is a prop.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import mujoco

from sim.kitchen import FIXTURE_BIT
from sim.world import World

SAMPLE_TICKS = 2
"""Every how many states the depths are looked at."""
KITCHEN_DEPTH = 0.005
"""Deepest that the robot may be inside a kitchen fixture, m."""
PROP_DEPTH = 0.008
"""Deepest that the robot may be inside a task prop, m: a firm grasp sinks in a few millimetres."""


@dataclass(frozen=True)
class Depth:
    """The deepest overlap found: how deep (m), at which state, and the names of the two geoms."""

    metres: float = 0.0
    tick: int = 0
    robot: str = ""
    other: str = ""


class Depths:
    """Collects the deepest overlaps of the robot with the kitchen and with props; a visitor for `judge_states`."""

    def __init__(self, world: World) -> None:
        self._model = model = copy.copy(world.model)
        self._data = mujoco.MjData(model)
        self._robot = world.robot_geoms
        solid = [g for g in range(model.ngeom) if model.geom_contype[g] or model.geom_conaffinity[g]]
        self._kitchen = frozenset(g for g in solid if model.geom_contype[g] == FIXTURE_BIT) - self._robot
        self.kitchen = Depth()
        self.props = Depth()

    def __call__(self, tick: int, world: World) -> None:
        """Looks at the world's current state."""
        if tick % SAMPLE_TICKS:
            return
        model, data = self._model, self._data
        data.qpos[:] = world.data.qpos
        data.mocap_pos[:] = world.data.mocap_pos
        data.mocap_quat[:] = world.data.mocap_quat
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        for i in range(data.ncon):
            contact = data.contact[i]
            first, second = int(contact.geom1), int(contact.geom2)
            if (first in self._robot) == (second in self._robot):
                continue
            own, other = (first, second) if first in self._robot else (second, first)
            in_kitchen = other in self._kitchen
            worst = self.kitchen if in_kitchen else self.props
            if -contact.dist > worst.metres:
                found = Depth(float(-contact.dist), tick, model.geom(own).name, model.geom(other).name)
                if in_kitchen:
                    self.kitchen = found
                else:
                    self.props = found


def check_depths(depths: Depths) -> str:
    """What is wrong with the depths found, in one sentence; '' if nothing is."""
    for what, worst, limit in (
        ("the kitchen", depths.kitchen, KITCHEN_DEPTH),
        ("a prop", depths.props, PROP_DEPTH),
    ):
        if worst.metres > limit:
            return (
                f"the robot ({worst.robot}) is {worst.metres * 1000:.1f} mm inside {what} ({worst.other}) "
                f"at state {worst.tick}; {limit * 1000:.0f} mm are allowed"
            )
    return ""
