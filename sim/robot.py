"""The PandaOmron's action and state contract, and where its parts sit in a MuJoCo model.

Everything here works on a compiled model alone: parts are found by the names robosuite gives them, so a
stored model can be read without building a kitchen.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

CONTROL_HZ = 20
"""Control ticks per second; one action and one dataset frame each."""

ACTION_NAMES = (
    "arm_x",
    "arm_y",
    "arm_z",
    "arm_rx",
    "arm_ry",
    "arm_rz",
    "gripper",
    "base_x",
    "base_y",
    "base_yaw",
    "torso",
    "base_mode",
)
"""Action dimensions, each in [-1, 1]. One unit is 0.05 m for `arm_x` to `arm_z` and `torso`, 0.5 rad for
`arm_r*`, 1 m/s for `base_x` and `base_y`, 1.5 rad/s for `base_yaw`; `gripper` closes at > 0 and opens at < 0;
`base_mode` > 0 lets the arm target ride along with the base."""

STATE_NAMES = (
    "base_to_eef_x",
    "base_to_eef_y",
    "base_to_eef_z",
    "base_to_eef_qx",
    "base_to_eef_qy",
    "base_to_eef_qz",
    "base_to_eef_qw",
    "base_x",
    "base_y",
    "base_z",
    "base_qx",
    "base_qy",
    "base_qz",
    "base_qw",
    "finger_left",
    "finger_right",
)
"""State dimensions: metres, and quaternions xyzw with w >= 0."""

ACTION_DIM = len(ACTION_NAMES)
STATE_DIM = len(STATE_NAMES)

ARM = slice(0, 6)
GRIPPER = 6
BASE = slice(7, 10)
TORSO = 10
BASE_MODE = 11

ARM_TRANSLATION_UNIT = 0.05
"""Metres of gripper translation per unit of action."""
ARM_ROTATION_UNIT = 0.5
"""Radians of gripper rotation per unit of action."""
TORSO_UNIT = 0.05
"""Metres of torso height per unit of action."""

ENVELOPE_TRANSLATION = 0.015
"""Most metres per axis and tick that a demonstration moves the arm (benchmark: "demo envelope per tick")."""
ENVELOPE_ROTATION = 0.12
"""Most radians per tick that a demonstration turns the arm (same source)."""
ENVELOPE_BASE = 0.5
"""Largest base command, in action units, of a demonstration (same source)."""

_SITES = {
    "eef_site": "gripper0_right_grip_site",
    "mount_site": "robot0_right_center",
    "base_site": "mobilebase0_center",
}
_ARM_JOINTS = tuple(f"robot0_joint{i}" for i in range(1, 8))
_ARM_ACTUATORS = tuple(f"robot0_torq_j{i}" for i in range(1, 8))
_BASE_JOINTS = tuple(f"mobilebase0_joint_mobile_{axis}" for axis in ("forward", "side", "yaw"))
_BASE_ACTUATORS = tuple(f"mobilebase0_actuator_mobile_{axis}" for axis in ("forward", "side", "yaw"))
_TORSO_JOINT = "mobilebase0_joint_torso_height"
_TORSO_ACTUATOR = "mobilebase0_actuator_torso_height"
_FINGER_JOINTS = ("gripper0_right_finger_joint1", "gripper0_right_finger_joint2")
_FINGER_ACTUATORS = ("gripper0_right_gripper_finger_joint1", "gripper0_right_gripper_finger_joint2")
_HAND_BODY = "robot0_right_hand"


class RobotNotFoundError(LookupError):
    """The model does not contain a complete PandaOmron."""


@dataclass(frozen=True)
class RobotIds:
    """Ids and addresses of the robot's parts in one model; build it with `resolve`.

    `*_qpos`, `*_dof` and `*_act` are int64 index arrays into `qpos`, `qvel` and `ctrl`: arm (7,), base (3,)
    in the order forward, side, yaw, fingers (2,); the torso has one of each.
    """

    eef_site: int
    mount_site: int
    base_site: int
    hand_body: int
    arm_qpos: np.ndarray
    arm_dof: np.ndarray
    arm_act: np.ndarray
    base_qpos: np.ndarray
    base_dof: np.ndarray
    base_act: np.ndarray
    torso_qpos: int
    torso_dof: int
    torso_act: int
    finger_qpos: np.ndarray
    finger_dof: np.ndarray
    finger_act: np.ndarray

    @classmethod
    def resolve(cls, model: mujoco.MjModel) -> RobotIds:
        """Find the robot in `model`.

        Raises:
            RobotNotFoundError: a site, body, joint or actuator of the PandaOmron is missing; names them.
        """
        missing: list[str] = []

        def find(kind: mujoco.mjtObj, name: str) -> int:
            found = mujoco.mj_name2id(model, kind, name)
            if found < 0:
                missing.append(f"{kind.name.removeprefix('mjOBJ_').lower()} {name}")
            return found

        def find_all(kind: mujoco.mjtObj, names: tuple[str, ...]) -> np.ndarray:
            return np.array([find(kind, name) for name in names], dtype=np.int64)

        obj = mujoco.mjtObj
        sites = {field: find(obj.mjOBJ_SITE, name) for field, name in _SITES.items()}
        hand = find(obj.mjOBJ_BODY, _HAND_BODY)
        arm = find_all(obj.mjOBJ_JOINT, _ARM_JOINTS)
        base = find_all(obj.mjOBJ_JOINT, _BASE_JOINTS)
        torso = find(obj.mjOBJ_JOINT, _TORSO_JOINT)
        fingers = find_all(obj.mjOBJ_JOINT, _FINGER_JOINTS)
        arm_act = find_all(obj.mjOBJ_ACTUATOR, _ARM_ACTUATORS)
        base_act = find_all(obj.mjOBJ_ACTUATOR, _BASE_ACTUATORS)
        torso_act = find(obj.mjOBJ_ACTUATOR, _TORSO_ACTUATOR)
        finger_act = find_all(obj.mjOBJ_ACTUATOR, _FINGER_ACTUATORS)
        if missing:
            raise RobotNotFoundError("the model has no complete PandaOmron; missing " + ", ".join(missing))

        def addresses(joints: np.ndarray | int) -> tuple[np.ndarray, np.ndarray]:
            return model.jnt_qposadr[joints].astype(np.int64), model.jnt_dofadr[joints].astype(np.int64)

        arm_qpos, arm_dof = addresses(arm)
        base_qpos, base_dof = addresses(base)
        finger_qpos, finger_dof = addresses(fingers)
        return cls(
            **sites,
            hand_body=hand,
            arm_qpos=arm_qpos,
            arm_dof=arm_dof,
            arm_act=arm_act,
            base_qpos=base_qpos,
            base_dof=base_dof,
            base_act=base_act,
            torso_qpos=int(model.jnt_qposadr[torso]),
            torso_dof=int(model.jnt_dofadr[torso]),
            torso_act=torso_act,
            finger_qpos=finger_qpos,
            finger_dof=finger_dof,
            finger_act=finger_act,
        )


def quat_xyzw(rotation: np.ndarray) -> np.ndarray:
    """Quaternion xyzw (4,), w >= 0, of a rotation matrix (3, 3)."""
    wxyz = np.empty(4)
    mujoco.mju_mat2Quat(wxyz, np.ascontiguousarray(rotation, dtype=np.float64).reshape(9))
    if wxyz[0] < 0.0:
        wxyz = -wxyz
    return wxyz[[1, 2, 3, 0]]


def robot_state(ids: RobotIds, data: mujoco.MjData) -> np.ndarray:
    """The robot's proprioception, float32 (16,), in the order of `STATE_NAMES`.

    The same quantities as robosuite's observables `robot0_base_to_eef_pos`, `robot0_base_to_eef_quat`,
    `robot0_base_pos`, `robot0_base_quat` and `robot0_gripper_qpos`: the position is that of the grip site,
    the orientation that of the *hand body*, which is another frame (robosuite keeps it for the sake of older
    datasets). Reads the kinematics as they are in `data`; mj_step leaves those of the substep's start, so
    call `mujoco.mj_kinematics` first for the state that belongs to `data.qpos`.
    """
    world_R_base = data.site_xmat[ids.base_site].reshape(3, 3)
    base_pos = data.site_xpos[ids.base_site]
    state = np.empty(STATE_DIM, dtype=np.float32)
    state[0:3] = world_R_base.T @ (data.site_xpos[ids.eef_site] - base_pos)
    state[3:7] = quat_xyzw(world_R_base.T @ data.xmat[ids.hand_body].reshape(3, 3))
    state[7:10] = base_pos
    state[10:14] = quat_xyzw(world_R_base)
    state[14:16] = data.qpos[ids.finger_qpos]
    return state
