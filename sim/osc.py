"""Operational space control of the arm, compiled.

The task-space law (Khatib 1987), with position and rotation decoupled and a posture held in the null space:

    Lambda   = (J M^-1 J^T)^+            likewise Lambda_p from J_p and Lambda_r from J_r
    f        = kp (x_goal - x) + kd (v_base - v)
    Jbar     = M^-1 J^T Lambda
    tau      = J^T [Lambda_p f_p; Lambda_r f_r] + bias + (I - Jbar J)^T M (kq (q_rest - q) - kv qd)

Products are taken in the order, memory layout and precision in which robosuite 1.5.2 takes them, so torques
agree with its controllers to the last bit. (numpy and scipy, whose BLAS numba uses, bundle the same
OpenBLAS.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numba
import numpy as np

KP = 150.0
KD = 2.0 * np.sqrt(KP)
POSTURE_KP = 10.0
POSTURE_KD = np.sqrt(POSTURE_KP) * 2.0
TORSO_KP = 2000.0
TORSO_KD = 2.0 * np.sqrt(TORSO_KP)

F = TypeVar("F", bound=Callable)


def compiled(function: F) -> F:
    """numba njit, cached on disk if a place for the cache can be written, else compiled in every process."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # numba found no writable cache folder
        return numba.njit(function)


def rotation_from_vector(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a rotation vector (3,).

    Goes through a single-precision quaternion as robosuite does: its rounding is part of the trajectories.
    """
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    exact = np.empty(4)
    exact[0] = np.cos(angle / 2.0)
    exact[1:] = vector / angle * np.sin(angle / 2.0)
    quat = exact.astype(np.float32)
    scaled = (quat * np.float64(math.sqrt(2.0 / float(np.dot(quat, quat))))).astype(np.float32)
    p = np.outer(scaled, scaled)
    xx, yy, zz = (float(p[i, i]) for i in (1, 2, 3))
    return np.array(
        [
            [1.0 - yy - zz, p[1, 2] - p[3, 0], p[1, 3] + p[2, 0]],
            [p[1, 2] + p[3, 0], 1.0 - xx - zz, p[2, 3] - p[1, 0]],
            [p[1, 3] - p[2, 0], p[2, 3] + p[1, 0], 1.0 - xx - yy],
        ],
        dtype=np.float64,
    )


@compiled
def rotation_error(goal: np.ndarray, current: np.ndarray) -> np.ndarray:
    """Small-angle rotation (3,) from `current` to `goal` (3, 3): half the sum of the crossed columns."""
    error = np.empty(3)
    for i in range(3):
        j = (i + 1) % 3
        k = (i + 2) % 3
        total = current[j, 0] * goal[k, 0] - current[k, 0] * goal[j, 0]
        total += current[j, 1] * goal[k, 1] - current[k, 1] * goal[j, 1]
        total += current[j, 2] * goal[k, 2] - current[k, 2] * goal[j, 2]
        error[i] = 0.5 * total
    return error


@compiled
def drive_arm_and_torso(
    jac: np.ndarray,
    qpos: np.ndarray,
    qvel: np.ndarray,
    inertia: np.ndarray,
    bias: np.ndarray,
    site_xpos: np.ndarray,
    site_xmat: np.ndarray,
    ids: np.ndarray,
    arm_qpos: np.ndarray,
    arm_dof: np.ndarray,
    arm_act: np.ndarray,
    arm_inertia: np.ndarray,
    ctrl_range: np.ndarray,
    goal_pos: np.ndarray,
    goal_mat: np.ndarray,
    origin_pos: np.ndarray,
    origin_mat: np.ndarray,
    posture: np.ndarray,
    torso_goal: np.ndarray,
    ctrl: np.ndarray,
) -> None:
    """One substep: move the goal's origin to where the mount is, then write arm and torso torques to `ctrl`.

    Args:
        jac: (4, 3, nv) Jacobians: grip site translation, rotation, arm mount translation, rotation.
        qpos, qvel, inertia, bias, site_xpos, site_xmat, ctrl: MuJoCo's arrays; `inertia` is the sparse `qM`.
        ids: grip site, mount site, torso qpos, torso dof, torso entry of `inertia`, torso actuator.
        arm_qpos, arm_dof, arm_act: (7,) addresses.
        arm_inertia: (7, 7) addresses in `inertia`.
        ctrl_range: (nu, 2).
        goal_pos, goal_mat: (3,), (3, 3) goal of the grip site in the mount frame.
        origin_pos, origin_mat: (3,), (3, 3) mount pose in the world; written.
        posture: (7,) joint angles preferred in the null space.
        torso_goal: (1,) m.
    """
    eef, mount = ids[0], ids[1]
    n = arm_dof.shape[0]

    j_pos = np.empty((3, n))
    j_rot = np.empty((3, n))
    j_full = np.empty((6, n))
    mass = np.empty((n, n)).T
    pull = np.empty(n)
    for i in range(n):
        dof = arm_dof[i]
        pull[i] = POSTURE_KP * (posture[i] - qpos[arm_qpos[i]]) - POSTURE_KD * qvel[dof]
        for row in range(3):
            j_pos[row, i] = j_full[row, i] = jac[0, row, dof]
            j_rot[row, i] = j_full[3 + row, i] = jac[1, row, dof]
        for j in range(n):
            mass[i, j] = inertia[arm_inertia[i, j]]

    current_mat = np.empty((3, 3))
    for i in range(3):
        origin_pos[i] = site_xpos[mount, i]
        for j in range(3):
            origin_mat[i, j] = site_xmat[mount, 3 * i + j]
            current_mat[i, j] = site_xmat[eef, 3 * i + j]
    offset = np.dot(origin_mat, goal_pos)
    turn = rotation_error(np.dot(origin_mat, goal_mat), current_mat)
    eef_vel, mount_vel = np.dot(jac[0], qvel), np.dot(jac[2], qvel)
    eef_spin, mount_spin = np.dot(jac[1], qvel), np.dot(jac[3], qvel)
    force = np.empty(3)
    torque = np.empty(3)
    for i in range(3):
        error = origin_pos[i] + offset[i] - site_xpos[eef, i]
        force[i] = error * KP + -(eef_vel[i] - mount_vel[i]) * KD
        torque[i] = turn[i] * KP + -(eef_spin[i] - mount_spin[i]) * KD

    mass_inv = np.linalg.inv(mass)
    lambda_full = np.linalg.pinv(np.dot(np.dot(j_full, mass_inv), j_full.T))
    force = np.dot(np.linalg.pinv(np.dot(np.dot(j_pos, mass_inv), j_pos.T)), force)
    torque = np.dot(np.linalg.pinv(np.dot(np.dot(j_rot, mass_inv), j_rot.T)), torque)
    null = np.dot(np.dot(np.dot(mass_inv, j_full.T), lambda_full), j_full)
    wrench = np.empty(6)
    for i in range(3):
        wrench[i] = force[i]
        wrench[3 + i] = torque[i]
    for i in range(n):
        for j in range(n):
            null[i, j] = (1.0 if i == j else 0.0) - null[i, j]

    task = np.dot(j_full.T, wrench)
    hold = np.dot(null.T, np.dot(mass, pull))
    for i in range(n):
        act = arm_act[i]
        ctrl[act] = min(max(task[i] + bias[arm_dof[i]] + hold[i], ctrl_range[act, 0]), ctrl_range[act, 1])

    dof, act = ids[3], ids[5]
    lift = (torso_goal[0] - qpos[ids[2]]) * TORSO_KP + -qvel[dof] * TORSO_KD
    ctrl[act] = min(max(inertia[ids[4]] * lift + bias[dof], ctrl_range[act, 0]), ctrl_range[act, 1])
