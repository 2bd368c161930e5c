"""Operational space control of the arm, compiled.

The task-space law (Khatib 1987), with position and rotation decoupled and a posture held in the null space:

    Lambda   = (J M^-1 J^T)^+            likewise Lambda_p from J_p and Lambda_r from J_r
    f        = kp (x_goal - x) + kd (v_base - v)
    Jbar     = M^-1 J^T Lambda
    tau      = J^T [Lambda_p f_p; Lambda_r f_r] + bias + (I - Jbar J)^T M (kq (q_rest - q) - kv qd)

Products are taken in the order, memory layout and precision in which robosuite 1.5.2 takes them, so torques agree with
its controllers to the last bit where both use the same BLAS.
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
    """numba njit, cached on disk where some place for the cache can be written, else compiled in every process."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # numba found no writable cache folder
        return numba.njit(function)


@compiled
def rotation_from_vector(vector: np.ndarray) -> np.ndarray:
    """Rotation matrix (3, 3) of a rotation vector (3,), rounded like robosuite, whose quaternion is float32."""
    angle = math.sqrt(np.dot(vector, vector))
    if angle == 0.0:
        return np.eye(3)
    axis = vector / angle
    exact = np.empty(4)
    exact[0] = np.cos(angle / 2.0)
    exact[1:] = axis * np.sin(angle / 2.0)
    quat = exact.astype(np.float32)
    quat *= math.sqrt(2.0 / np.dot(quat, quat))
    p = np.outer(quat, quat)
    return np.array(
        [
            [1.0 - p[2, 2] - p[3, 3], p[1, 2] - p[3, 0], p[1, 3] + p[2, 0]],
            [p[1, 2] + p[3, 0], 1.0 - p[1, 1] - p[3, 3], p[2, 3] - p[1, 0]],
            [p[1, 3] - p[2, 0], p[2, 3] + p[1, 0], 1.0 - p[1, 1] - p[2, 2]],
        ]
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
    """One substep: move the goal's origin to where the mount is now, then write arm and torso torques to `ctrl`.

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
    eef, mount, torso_qpos, torso_dof, torso_inertia, torso_act = ids
    n = arm_dof.shape[0]

    origin_pos[:] = site_xpos[mount]
    origin_mat[:, :] = site_xmat[mount].reshape((3, 3))
    current_mat = site_xmat[eef].reshape((3, 3))

    j_pos = np.empty((3, n))
    j_rot = np.empty((3, n))
    j_full = np.empty((6, n))
    mass = np.empty((n, n)).T
    q = np.empty(n)
    qd = np.empty(n)
    for i in range(n):
        q[i] = qpos[arm_qpos[i]]
        qd[i] = qvel[arm_dof[i]]
        for row in range(3):
            j_pos[row, i] = jac[0, row, arm_dof[i]]
            j_rot[row, i] = jac[1, row, arm_dof[i]]
            j_full[row, i] = j_pos[row, i]
            j_full[3 + row, i] = j_rot[row, i]
        for j in range(n):
            mass[i, j] = inertia[arm_inertia[i, j]]

    position_error = origin_pos + np.dot(origin_mat, goal_pos) - site_xpos[eef]
    turn_error = rotation_error(np.dot(origin_mat, goal_mat), current_mat)
    velocity_error = -(np.dot(jac[0], qvel) - np.dot(jac[2], qvel))
    turning_error = -(np.dot(jac[1], qvel) - np.dot(jac[3], qvel))
    force = position_error * KP + velocity_error * KD
    torque = turn_error * KP + turning_error * KD

    mass_inv = np.linalg.inv(mass)
    lambda_full = np.linalg.pinv(np.dot(np.dot(j_full, mass_inv), j_full.T))
    lambda_pos = np.linalg.pinv(np.dot(np.dot(j_pos, mass_inv), j_pos.T))
    lambda_rot = np.linalg.pinv(np.dot(np.dot(j_rot, mass_inv), j_rot.T))
    j_bar = np.dot(np.dot(mass_inv, j_full.T), lambda_full)
    null = np.eye(n) - np.dot(j_bar, j_full)

    wrench = np.concatenate((np.dot(lambda_pos, force), np.dot(lambda_rot, torque)))
    hold = np.dot(mass, POSTURE_KP * (posture - q) - POSTURE_KD * qd)
    task_torques = np.dot(j_full.T, wrench)
    posture_torques = np.dot(null.T, hold)
    for i in range(n):
        tau = (task_torques[i] + bias[arm_dof[i]]) + posture_torques[i]
        low, high = ctrl_range[arm_act[i]]
        ctrl[arm_act[i]] = min(max(tau, low), high)

    lift = (torso_goal[0] - qpos[torso_qpos]) * TORSO_KP + -qvel[torso_dof] * TORSO_KD
    tau = inertia[torso_inertia] * lift + bias[torso_dof]
    low, high = ctrl_range[torso_act]
    ctrl[torso_act] = min(max(tau, low), high)
