"""The SUBMIT button: its body, and the rule that ends the episode at its first press (figures: tasks.md 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np

from sim.contact import touches
from sim.world import World
from tasks.props.solids import add_solid

BASE_HALF = (0.048, 0.043, 0.010)
CAP_RADIUS = 0.036
CAP_HALF_HEIGHT = 0.010
CAP_CENTRE_Z = 0.032
CAP_TOP_Z = 0.042
TRAVEL = 0.009
PRESS_TRAVEL = 0.003
PRESS_NORMAL_Z = -0.9
PRESS_FORCE = 1e-5
KEEP_OUT = 0.092
"""The closed hand reaches this far from the grip site while it presses; nothing may stand nearer to the button."""


def add_submit(spec: mujoco.MjSpec, position: tuple[float, float, float], yaw: float) -> None:
    """Adds the button. `position` is the point on the work top under its centre; the label faces the robot (-y)."""
    base = spec.worldbody.add_body(name="submit", pos=position, quat=[np.cos(yaw / 2), 0, 0, np.sin(yaw / 2)])
    add_solid(base, "submit_base", "box", BASE_HALF, pos=(0, 0, BASE_HALF[2]), rgba=(0.12, 0.12, 0.13, 1))
    cap = base.add_body(name="submit_cap", pos=[0, 0, CAP_CENTRE_Z])
    cap.add_joint(
        name="submit_joint",
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[0, 0, -1],
        range=[0, TRAVEL],
        limited=True,
        damping=2,
        stiffness=160,
    )
    add_solid(
        cap,
        "submit_cap",
        "cylinder",
        (CAP_RADIUS, CAP_HALF_HEIGHT),
        rgba=(0.78, 0.06, 0.04, 1),
        mass=0.025,
        friction=(1, 0.01, 0.001),
    )
    # The cap sinks into its base; MuJoCo would let them collide, because the base's body is static.
    spec.add_exclude(bodyname1="submit", bodyname2="submit_cap")
    for name, half, x, y in _letters():
        cap.add_geom(
            name=f"submit_label_{name}",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[half[0], half[1], 0.0004],
            pos=[x, y, CAP_HALF_HEIGHT + 0.0004],
            rgba=[1, 1, 1, 1],
            group=1,
            contype=0,
            conaffinity=0,
            mass=0,
        )


_STROKES = {
    "S": ((0, 2, 2, 2), (0, 1, 0, 2), (0, 1, 2, 1), (2, 0, 2, 1), (0, 0, 2, 0)),
    "U": ((0, 0, 0, 2), (0, 0, 2, 0), (2, 0, 2, 2)),
    "B": ((0, 0, 0, 2), (0, 2, 2, 2), (0, 1, 2, 1), (0, 0, 2, 0), (2, 0, 2, 2)),
    "M": ((0, 0, 0, 2), (0, 2, 1, 2), (1, 1, 1, 2), (1, 2, 2, 2), (2, 0, 2, 2)),
    "I": ((1, 0, 1, 2),),
    "T": ((0, 2, 2, 2), (1, 0, 1, 2)),
}
"""Letters as strokes (x0, y0, x1, y1) on a 3 x 3 grid, so that the label needs no texture file."""


def _letters() -> list[tuple[str, tuple[float, float], float, float]]:
    unit, gap = 0.0034, 0.0104
    out = []
    for index, letter in enumerate("SUBMIT"):
        left = (index - 2.5) * gap - unit
        for stroke, (x0, y0, x1, y1) in enumerate(_STROKES[letter]):
            half = ((x1 - x0) * unit / 2 + 0.0008, (y1 - y0) * unit / 2 + 0.0008)
            out.append((f"{index}_{stroke}", half, left + (x0 + x1) * unit / 2, (y0 + y1 - 2) * unit / 2))
    return out


class SubmitRule:
    """Freezes success and progress at the first press (travel and a downward contact by the robot), exactly once."""

    def __init__(self, judge: Callable[[World], tuple[bool, float]]) -> None:
        self._judge = judge
        self.result: tuple[bool, float] | None = None

    @property
    def pressed(self) -> bool:
        """Whether the episode has ended."""
        return self.result is not None

    def reset(self, world: World) -> None:
        """Nothing pressed."""
        self.result = None
        model = world.model
        self._address = model.jnt_qposadr[model.joint("submit_joint").id]
        self._cap = frozenset([model.geom("submit_cap").id])
        self._robot = world.robot_geoms

    def update(self, world: World) -> None:
        """Detects the press, from the state alone."""
        if self.pressed or world.data.qpos[self._address] < PRESS_TRAVEL:
            return
        for touch in touches(world.model, world.judged(), self._cap):
            if touch.other in self._robot and touch.normal[2] <= PRESS_NORMAL_Z and touch.force > PRESS_FORCE:
                self.result = self._judge(world)
                world.emit("submitted", success=self.result[0], progress=self.result[1])
                return

    def get_state(self) -> Any:
        """The frozen result."""
        return self.result

    def set_state(self, state: Any) -> None:
        """Puts it back."""
        self.result = state
