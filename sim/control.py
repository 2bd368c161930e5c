"""The PandaOmron's controllers, directly on MuJoCo.

Drives the robot as robosuite 1.5.2 does with the composite controller RoboCasa configures for it: operational
space control of the arm (pose deltas in the base frame), position-controlled fingers, velocity-controlled
base, torque-driven torso. It needs only a model and its data, found by element names, so recordings replay
without robosuite or RoboCasa.

Trajectories are bit-identical to robosuite's `env.step` given the action as float64 (robosuite rotates the
base command in the precision of the action it gets; here it is always float64). tests/sim/test_control.py
says so.
"""

from __future__ import annotations

import math

import mujoco
import numpy as np

from sim import osc
from sim.robot import (
    ACTION_DIM,
    ARM,
    ARM_ROTATION_UNIT,
    ARM_TRANSLATION_UNIT,
    BASE,
    BASE_MODE,
    GRIPPER,
    TORSO,
    TORSO_UNIT,
    RobotIds,
)

_ARM_SCALE = np.array([ARM_TRANSLATION_UNIT] * 3 + [ARM_ROTATION_UNIT] * 3)
_FINGER_STEP = np.array([-0.2, 0.2])

STATE_LAYOUT = {
    "goal_pos": (3,),
    "goal_mat": (3, 3),
    "origin_pos": (3,),
    "origin_mat": (3, 3),
    "posture": (7,),
    "fingers": (2,),
    "base_goal": (3,),
    "torso_goal": (1,),
    "pending": (1,),
    "action": (ACTION_DIM,),
}


class RobotController:
    """PandaOmron composite controller; 20 Hz ticks of N substeps.

    A tick is `set_action`, then for every substep `mj_step1`, `control`, `mj_step2` (see `step_tick`). The
    action takes effect in the next `control`, because the arm's goal is laid from the pose that `mj_step1`
    computes.

    Args:
        model: a compiled model with the robot in it.
        data: its data. The controller keeps views into it: same object for the controller's whole life.

    Raises:
        RobotNotFoundError: the model has no complete PandaOmron.
        ValueError: the base's forward joint is not along x (a robot of an older robosuite).
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData) -> None:
        self.ids = ids = RobotIds.resolve(model)
        if model.jnt_axis[model.dof_jntid[ids.base_dof[0]]].tolist() != [1.0, 0.0, 0.0]:
            raise ValueError("the forward joint of the mobile base must slide along x")
        self._model, self._data = model, data

        self._state = np.zeros(sum(math.prod(shape) for shape in STATE_LAYOUT.values()))
        parts, start = {}, 0
        for name, shape in STATE_LAYOUT.items():
            stop = start + math.prod(shape)
            parts[name] = self._state[start:stop].reshape(shape)
            start = stop
        self._goal_pos, self._goal_mat = parts["goal_pos"], parts["goal_mat"]
        self._origin_pos, self._origin_mat = parts["origin_pos"], parts["origin_mat"]
        self._posture, self._fingers = parts["posture"], parts["fingers"]
        self._base_goal, self._torso_goal = parts["base_goal"], parts["torso_goal"]
        self._pending, self._action = parts["pending"], parts["action"]

        self._servo_act = np.concatenate([ids.base_act, ids.finger_act])
        self._servo_low, self._servo_high = model.actuator_ctrlrange[self._servo_act].T.copy()
        self._servo_bias = 0.5 * (self._servo_high + self._servo_low)
        self._servo_weight = 0.5 * (self._servo_high - self._servo_low)
        self._servo_ctrl = np.zeros(5)

        self._jac = np.zeros((4, 3, model.nv))
        self._jac_eef_pos, self._jac_eef_rot, self._jac_mount_pos, self._jac_mount_rot = self._jac
        self._kernel_inputs = (
            self._jac,
            data.qpos,
            data.qvel,
            data.qM,
            data.qfrc_bias,
            data.site_xpos,
            data.site_xmat,
            np.array(
                [
                    ids.eef_site,
                    ids.mount_site,
                    ids.torso_qpos,
                    ids.torso_dof,
                    model.dof_Madr[ids.torso_dof],
                    ids.torso_act,
                ]
            ),
            ids.arm_qpos,
            ids.arm_dof,
            ids.arm_act,
            _inertia_addresses(model, ids.arm_dof),
            model.actuator_ctrlrange,
            self._goal_pos,
            self._goal_mat,
            self._origin_pos,
            self._origin_mat,
            self._posture,
            self._torso_goal,
            data.ctrl,
        )
        self._spawn_yaw = _spawn_yaw(model, ids)
        self.reset()

    def reset(self) -> None:
        """Forget everything and hold the current pose; its arm joints become the null space's posture.

        As robosuite does when it resets a robot. RoboCasa's `env.reset` then moves the base and lets the
        scene settle for ten ticks' worth of substeps under one zero action, fingers half open.
        """
        mujoco.mj_kinematics(self._model, self._data)
        data, ids = self._data, self.ids
        self._state[:] = 0.0
        self._origin_pos[:] = data.site_xpos[ids.mount_site]
        self._origin_mat[:] = data.site_xmat[ids.mount_site].reshape(3, 3)
        eef = self._origin_T_eef()
        self._goal_pos[:] = eef[:3, 3]
        self._goal_mat[:] = eef[:3, :3]
        self._posture[:] = data.qpos[ids.arm_qpos]
        self._torso_goal[0] = data.qpos[ids.torso_qpos]
        self._refresh_servos()

    def set_action(self, action: np.ndarray) -> None:
        """Begin a tick.

        Args:
            action: (12,), see `sim.robot.ACTION_NAMES`; beyond [-1, 1] it is limited as robosuite does.

        Raises:
            ValueError: not twelve finite numbers.
        """
        action = np.asarray(action, dtype=np.float64)
        if action.shape != (ACTION_DIM,) or not np.isfinite(action).all():
            raise ValueError(f"an action is {ACTION_DIM} finite numbers, got {action!r}")
        self._action[:] = action
        self._pending[0] = 1.0

    def control(self) -> None:
        """One substep: write `data.ctrl`. Call it between `mj_step1` and `mj_step2`."""
        if self._pending[0]:
            self._begin_tick()
            self._pending[0] = 0.0
        model, data, ids = self._model, self._data, self.ids
        mujoco.mj_jacSite(model, data, self._jac_eef_pos, self._jac_eef_rot, ids.eef_site)
        mujoco.mj_jacSite(model, data, self._jac_mount_pos, self._jac_mount_rot, ids.mount_site)
        osc.drive_arm_and_torso(*self._kernel_inputs)
        data.ctrl[self._servo_act] = self._servo_ctrl

    def get_state(self) -> np.ndarray:
        """Everything that continues a run besides MuJoCo's own state: float64, always the same size."""
        return self._state.copy()

    def set_state(self, state: np.ndarray) -> None:
        """Continue from what `get_state` returned; does not touch MuJoCo's data.

        Raises:
            ValueError: wrong size.
        """
        state = np.asarray(state, dtype=np.float64)
        if state.shape != self._state.shape:
            raise ValueError(f"a controller state has shape {self._state.shape}, got {state.shape}")
        self._state[:] = state
        self._refresh_servos()

    def _begin_tick(self) -> None:
        action, data, ids = self._action, self._data, self.ids
        # The origin is still that of the previous substep: robosuite moves it only after laying the goal.
        delta = np.clip(action[ARM], -1.0, 1.0) * _ARM_SCALE
        turn = osc.rotation_from_vector(delta[3:])
        if action[BASE_MODE] > 0:
            self._goal_pos += delta[:3]
            self._goal_mat[:] = np.dot(turn, self._goal_mat)
        else:
            eef = self._origin_T_eef()
            self._goal_pos[:] = eef[:3, 3] + delta[:3]
            self._goal_mat[:] = np.dot(turn, eef[:3, :3])

        self._fingers[:] = np.clip(self._fingers + _FINGER_STEP * np.sign(action[GRIPPER]), -1.0, 1.0)

        # The slide joints keep the axes the base was spawned with; commands are in its present frame.
        theta = _yaw(data.site_xmat[ids.base_site]) - self._spawn_yaw
        cos, sin = float(np.cos(theta)), float(np.sin(theta))
        x, y, yaw_rate = action[BASE]
        self._base_goal[:] = x * cos - y * sin, x * sin + y * cos, yaw_rate

        self._torso_goal[0] = data.qpos[ids.torso_qpos] + min(max(action[TORSO], -1.0), 1.0) * TORSO_UNIT
        self._refresh_servos()

    def _refresh_servos(self) -> None:
        goal = np.concatenate([self._base_goal, self._fingers])
        self._servo_ctrl = np.clip(self._servo_bias + self._servo_weight * goal, self._servo_low, self._servo_high)

    def _origin_T_eef(self) -> np.ndarray:
        """Pose (4, 4) of the grip site in the latched arm mount frame."""
        world_T_eef = np.eye(4)
        world_T_eef[:3, :3] = self._data.site_xmat[self.ids.eef_site].reshape(3, 3)
        world_T_eef[:3, 3] = self._data.site_xpos[self.ids.eef_site]
        origin_T_world = np.eye(4)
        origin_T_world[:3, :3] = self._origin_mat.T
        origin_T_world[:3, 3] = -origin_T_world[:3, :3].dot(self._origin_pos)
        return origin_T_world.dot(world_T_eef)


def step_tick(
    model: mujoco.MjModel,
    data: mujoco.MjData,
    controller: RobotController,
    action: np.ndarray,
    substeps: int,
) -> None:
    """Advance the simulation by one control tick of `substeps` physics steps under `action` (12,).

    Derived quantities in `data` (poses, contacts) are afterwards those of the last substep's start, as after
    any `mj_step`; `mj_kinematics` or `mj_forward` brings them up to date without changing the run.
    """
    controller.set_action(action)
    step1, control, step2 = mujoco.mj_step1, controller.control, mujoco.mj_step2
    for _ in range(substeps):
        step1(model, data)
        control()
        step2(model, data)


def _inertia_addresses(model: mujoco.MjModel, dofs: np.ndarray) -> np.ndarray:
    """Addresses (n, n) in the sparse inertia `qM` of a serial chain's dofs (n,), root first."""
    addresses = np.full((len(dofs), len(dofs)), -1, dtype=np.int64)
    position = {int(dof): i for i, dof in enumerate(dofs)}
    for i, dof in enumerate(dofs):
        ancestor, address = int(dof), int(model.dof_Madr[dof])
        while ancestor >= 0:  # a row of qM runs from the dof to the root of its tree
            if ancestor in position:
                addresses[i, position[ancestor]] = addresses[position[ancestor], i] = address
            ancestor, address = int(model.dof_parentid[ancestor]), address + 1
    if (addresses < 0).any():
        raise ValueError("the arm's joints do not form one chain")
    return addresses


def _yaw(xmat: np.ndarray) -> np.float32:
    """Heading (rad) of a rotation matrix (9,), in the single precision robosuite computes it in."""
    return np.float32(math.atan2(np.float32(xmat[3]), np.float32(xmat[0])))


def _spawn_yaw(model: mujoco.MjModel, ids: RobotIds) -> np.float32:
    """Heading (rad) of the base with its joints at zero."""
    scratch = mujoco.MjData(model)
    mujoco.mj_kinematics(model, scratch)
    return _yaw(scratch.site_xmat[ids.base_site])
