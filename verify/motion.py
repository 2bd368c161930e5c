"""Whether recorded states could be the motion of real things: finite, no jumps, within limits, no ghostly forces.

A state is a mjSTATE_INTEGRATION vector. Displacements are compared with absolute limits and with the recorded speeds:
between two ticks a thing cannot go further than about its larger speed allows.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np

from sim.robot import CONTROL_HZ
from sim.world import World

DT = 1 / CONTROL_HZ
BASE_SPEED = 1.2 * 1.5
"""m/s: the drive's 1.2 with half as much again for a push."""
BASE_TURN = 1.5 * 1.5
ARM_SPEED = 2.61 * 2
"""rad/s: twice the fastest joint of a real Panda; the simulated arm has no speed limit of its own."""
TORSO_SPEED = 1.0
FINGER_SPEED = 1.0
OBJECT_SPEED = 3.0
"""m/s (rad/s for hinges: OBJECT_TURN) of anything that is not the robot."""
FALL_SPEED = 7.0
"""m/s downwards: a fall from 2.5 m."""
OBJECT_TURN = 30.0
SPEED_FACTOR = 1.5
SPEED_SLACK = 0.02
"""m; a thing may be struck and stopped again within one tick (a bolt shoved into its stop)."""
TURN_SLACK = 0.3
"""rad, likewise."""
LIMIT_SLACK = 0.03
"""rad or m that a robot joint may be past its soft limit."""
ROOM_MARGIN = 0.3
FLOOR, CEILING = -0.05, 3.5
FREE, BALL, SLIDE = int(mujoco.mjtJoint.mjJNT_FREE), int(mujoco.mjtJoint.mjJNT_BALL), int(mujoco.mjtJoint.mjJNT_SLIDE)


def part(model: mujoco.MjModel, states: np.ndarray, bit: mujoco.mjtState) -> np.ndarray:
    """The columns of states (T, n) that belong to one element of mjtState."""
    start = mujoco.mj_stateSize(model, int(bit) - 1)
    return states[:, start : start + mujoco.mj_stateSize(model, int(bit))]


def check_finite(states: np.ndarray) -> str:
    """Complains about NaN, infinity and a wrong type."""
    if states.dtype != np.float64 or states.ndim != 2:
        return f"states are {states.dtype} {states.shape}; they must be float64 (T + 1, n)"
    bad = np.argwhere(~np.isfinite(states))
    return f"state {bad[0][0]} is not finite in number {bad[0][1]}" if len(bad) else ""


def check_clock(model: mujoco.MjModel, states: np.ndarray) -> str:
    """Complains if simulated time does not advance by one tick from state to state."""
    time = part(model, states, mujoco.mjtState.mjSTATE_TIME)[:, 0]
    wrong = np.flatnonzero(np.abs(np.diff(time) - DT) > 1e-9)
    if len(wrong):
        t = wrong[0]
        return f"time goes on by {time[t + 1] - time[t]:.4f} s from state {t} to {t + 1}, not by {DT} s"
    return ""


def check_jumps(world: World, states: np.ndarray) -> str:
    """Complains about the first thing that moves further in a tick than it could."""
    for name, moved, allowed in _moves(world, states):
        far = np.flatnonzero(~(moved <= allowed))
        if len(far):
            t = far[0]
            return (
                f"{name} moves by {moved[t]:.4f} from state {t} to {t + 1}, more than the "
                f"{np.broadcast_to(allowed, moved.shape)[t]:.4f} (m or rad) that its speed allows"
            )
    return ""


def check_forces(world: World, states: np.ndarray) -> str:
    """Complains about forces from outside of physics: on any body, or on a robot's or free object's joint."""
    model, bits = world.model, mujoco.mjtState
    if np.any(part(model, states, bits.mjSTATE_XFRC_APPLIED)):
        return "an external force acts on a body (xfrc_applied is not zero)"
    applied = np.any(part(model, states, bits.mjSTATE_QFRC_APPLIED), axis=0)
    robot = _robot_joints(world)
    for dof in np.flatnonzero(applied):
        joint = int(model.dof_jntid[dof])
        if joint in robot or model.jnt_type[joint] == FREE:
            return f"an external force acts on joint {model.joint(joint).name} (qfrc_applied is not zero)"
    return ""


def check_joint_limits(world: World, states: np.ndarray) -> str:
    """Complains if a robot joint is past its limit."""
    model = world.model
    qpos = part(model, states, mujoco.mjtState.mjSTATE_QPOS)
    for joint in sorted(_robot_joints(world)):
        if not model.jnt_limited[joint]:
            continue
        low, high = model.jnt_range[joint]
        values = qpos[:, model.jnt_qposadr[joint]]
        past = np.flatnonzero((values < low - LIMIT_SLACK) | (values > high + LIMIT_SLACK))
        if len(past):
            t = past[0]
            name = model.joint(joint).name
            return f"{name} is at {values[t]:.3f} in state {t}, past its limits {low:.3f} to {high:.3f}"
    return ""


def check_room(world: World, states: np.ndarray, base: np.ndarray) -> str:
    """Complains if a free object or the robot's base, positions (T+1, 3), leaves the room."""
    model = world.model
    fixed = [g for g in range(model.ngeom) if model.body_weldid[model.geom_bodyid[g]] == 0]
    fixed = [g for g in fixed if model.geom_type[g] != mujoco.mjtGeom.mjGEOM_PLANE]
    rotation = world.data.geom_xmat[fixed].reshape(-1, 3, 3)
    centre = world.data.geom_xpos[fixed] + np.einsum("nij,nj->ni", rotation, model.geom_aabb[fixed, :3])
    half = np.einsum("nij,nj->ni", np.abs(rotation), model.geom_aabb[fixed, 3:])
    low = np.array([*((centre - half)[:, :2].min(0) - ROOM_MARGIN), FLOOR])
    high = np.array([*((centre + half)[:, :2].max(0) + ROOM_MARGIN), CEILING])
    qpos = part(model, states, mujoco.mjtState.mjSTATE_QPOS)
    things = {"the robot's base": base}
    for joint in np.flatnonzero(model.jnt_type == FREE):
        start = model.jnt_qposadr[joint]
        things[model.body(model.jnt_bodyid[joint]).name] = qpos[:, start : start + 3]
    for name, path in things.items():
        out = np.flatnonzero(np.any((path < low) | (path > high), axis=1))
        if len(out):
            where = ", ".join(f"{v:.2f}" for v in path[out[0]])
            return f"{name} is outside of the room, at ({where}) in state {out[0]}"
    return ""


def largest_joint_speed(world: World, states: np.ndarray) -> float:
    """Largest speed (rad/s) of an arm joint in any state."""
    return float(np.abs(part(world.model, states, mujoco.mjtState.mjSTATE_QVEL)[:, world.ids.arm_dof]).max())


def _robot_joints(world: World) -> set[int]:
    ids = world.ids
    dofs = [*ids.arm_dof, *ids.base_dof, ids.torso_dof, *ids.finger_dof]
    return {int(world.model.dof_jntid[d]) for d in dofs}


def _moves(world: World, states: np.ndarray) -> Iterator[tuple[str, np.ndarray, np.ndarray | float]]:
    """Name, displacement per tick (T,) and what is allowed, of everything that can move."""
    model, ids = world.model, world.ids
    qpos = part(model, states, mujoco.mjtState.mjSTATE_QPOS)
    qvel = part(model, states, mujoco.mjtState.mjSTATE_QVEL)
    step = np.abs(np.diff(qpos, axis=0))
    base = np.hypot(step[:, ids.base_qpos[0]], step[:, ids.base_qpos[1]])
    yield "the robot's base", base, BASE_SPEED * DT
    yield "the base's heading", step[:, ids.base_qpos[2]], BASE_TURN * DT
    yield "the torso", step[:, ids.torso_qpos], TORSO_SPEED * DT
    for i, address in enumerate(ids.arm_qpos, start=1):
        yield f"arm joint {i}", step[:, address], ARM_SPEED * DT
    for address in ids.finger_qpos:
        yield "a finger", step[:, address], FINGER_SPEED * DT
    for joint in range(model.njnt):
        kind, q, v = int(model.jnt_type[joint]), model.jnt_qposadr[joint], model.jnt_dofadr[joint]
        name = model.joint(joint).name
        if kind == FREE:
            path, speed = qpos[:, q : q + 3], np.linalg.norm(qvel[:, v : v + 3], axis=1)
            down = np.maximum(-np.diff(path[:, 2]), 0.0)
            rest = np.diff(path, axis=0) * (1, 1, 0)
            rest[:, 2] = np.maximum(np.diff(path[:, 2]), 0.0)
            yield name, np.linalg.norm(rest, axis=1), OBJECT_SPEED * DT
            yield name, down, FALL_SPEED * DT
            yield name, np.linalg.norm(np.diff(path, axis=0), axis=1), _reach(speed, SPEED_SLACK)
        elif kind != BALL:
            if joint not in _robot_joints(world):
                yield name, step[:, q], (OBJECT_SPEED if kind == SLIDE else OBJECT_TURN) * DT
            slack = SPEED_SLACK if kind == SLIDE else TURN_SLACK
            yield name, step[:, q], _reach(np.abs(qvel[:, v]), slack)
    mocap = part(model, states, mujoco.mjtState.mjSTATE_MOCAP_POS).reshape(len(states), -1, 3)
    for i in range(mocap.shape[1]):
        yield f"mocap body {i}", np.linalg.norm(np.diff(mocap[:, i], axis=0), axis=1), OBJECT_SPEED * DT


def _reach(speed: np.ndarray, slack: float) -> np.ndarray:
    """How far (T,) a thing can go between ticks, from its speed (T+1,) at either end."""
    return SPEED_FACTOR * DT * np.maximum(speed[:-1], speed[1:]) + slack
