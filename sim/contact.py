"""Contact queries on a judged state (see World.judged): who touches whom, how hard, and what rests."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import numpy as np

REST_SPEED = 0.03
REST_SPIN = 0.2
SUPPORT_FORCE = 1e-6
SUPPORT_NORMAL_Z = 0.5


@dataclass(frozen=True)
class Touch:
    """A contact seen from one body: the other geom, the normal that pushes on the body, and the normal force in N."""

    geom: int
    other: int
    normal: np.ndarray
    force: float


def subtree(model: mujoco.MjModel, body: int) -> frozenset[int]:
    """The geoms of a body and of all bodies below it."""
    bodies = {body}
    for child in range(body + 1, model.nbody):
        if model.body_parentid[child] in bodies:
            bodies.add(child)
    return frozenset(g for g in range(model.ngeom) if model.geom_bodyid[g] in bodies)


def touches(model: mujoco.MjModel, data: mujoco.MjData, geoms: frozenset[int]) -> Iterator[Touch]:
    """Contacts of the given geoms with any other geom."""
    force = np.zeros(6)
    for i in range(data.ncon):
        contact = data.contact[i]
        first, second = contact.geom1 in geoms, contact.geom2 in geoms
        if first == second or contact.efc_address < 0:
            continue
        mujoco.mj_contactForce(model, data, i, force)
        normal = contact.frame[:3] if second else -contact.frame[:3]
        own, other = (contact.geom2, contact.geom1) if second else (contact.geom1, contact.geom2)
        yield Touch(int(own), int(other), np.array(normal), float(force[0]))


def supported_by(
    model: mujoco.MjModel, data: mujoco.MjData, geoms: frozenset[int], support: frozenset[int] | None = None
) -> bool:
    """Whether something (or the given geoms) carries these geoms from below."""
    return any(
        t.normal[2] >= SUPPORT_NORMAL_Z and t.force > SUPPORT_FORCE and (support is None or t.other in support)
        for t in touches(model, data, geoms)
    )


def touching(model: mujoco.MjModel, data: mujoco.MjData, geoms: frozenset[int], others: frozenset[int]) -> bool:
    """Whether any two of the two sets touch."""
    return any(t.other in others for t in touches(model, data, geoms))


def speed(model: mujoco.MjModel, data: mujoco.MjData, body: int) -> tuple[float, float]:
    """Linear (m/s) and angular (rad/s) speed of a body's centre of mass."""
    velocity = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, velocity, 0)
    return float(np.linalg.norm(velocity[3:])), float(np.linalg.norm(velocity[:3]))


def at_rest(model: mujoco.MjModel, data: mujoco.MjData, body: int, robot: frozenset[int]) -> bool:
    """Released by the robot, still, and carried by something (thresholds of the benchmark, tasks.md 2.5)."""
    geoms = subtree(model, body)
    linear, angular = speed(model, data, body)
    still = linear <= REST_SPEED and angular <= REST_SPIN
    return still and not touching(model, data, geoms, robot) and supported_by(model, data, geoms)
