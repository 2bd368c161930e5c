"""The lean controllers against robosuite's: trajectories, continuation and observables."""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import mujoco
import numpy as np
import pytest

from sim.control import STATE_LAYOUT, RobotController, step_tick
from sim.osc import compiled, rotation_from_vector
from sim.robot import (
    ACTION_DIM,
    ACTION_NAMES,
    BASE,
    BASE_MODE,
    STATE_DIM,
    STATE_NAMES,
    RobotIds,
    RobotNotFoundError,
    robot_state,
)

SUBSTEPS = 25
INTEGRATION = mujoco.mjtState.mjSTATE_INTEGRATION


@pytest.fixture(scope="module")
def env():
    """A bare RoboCasa kitchen with the robot, after robosuite's reset."""
    import robocasa.models

    from sim.standin import ensure_pack

    robocasa.models.assets_root = str(ensure_pack())
    from robocasa.environments.kitchen.kitchen import Kitchen
    from robosuite.controllers import load_composite_controller_config

    kitchen = Kitchen(
        robots="PandaOmron",
        controller_configs=load_composite_controller_config(robot="PandaOmron"),
        has_renderer=False,
        has_offscreen_renderer=False,
        use_camera_obs=False,
        layout_ids=1,
        style_ids=1,
        seed=3,
        ignore_done=True,
    )
    kitchen.reset()
    return kitchen


@pytest.fixture
def twin(env):
    """Model, a second data in the same state, and a controller that continues where robosuite's are."""
    model = env.sim.model._model
    data = mujoco.MjData(model)
    controller = RobotController(model, data)
    set_physics(model, data, physics(model, env.sim.data._data))
    controller.set_state(robosuite_state(env))
    return model, data, controller


def physics(model, data):
    state = np.empty(mujoco.mj_stateSize(model, INTEGRATION))
    mujoco.mj_getState(model, data, state, INTEGRATION)
    return state


def set_physics(model, data, state):
    mujoco.mj_setState(model, data, state, INTEGRATION)


def robosuite_state(env):
    """The controller state vector, read out of robosuite's objects."""
    robot = env.robots[0]
    arm, base, torso = (robot.part_controllers[part] for part in ("right", "base", "torso"))
    parts = {
        "goal_pos": arm.goal_pos,
        "goal_mat": arm.goal_ori,
        "origin_pos": arm.origin_pos,
        "origin_mat": arm.origin_ori,
        "posture": arm.initial_joint,
        "fingers": robot.gripper["right"].current_action,
        "base_goal": base.goal_qvel,
        "torso_goal": torso.goal_qpos,
        "pending": np.zeros(1),
        "action": np.zeros(ACTION_DIM),
    }
    return np.concatenate([np.broadcast_to(parts[name], shape).ravel() for name, shape in STATE_LAYOUT.items()])


def random_actions(ticks, seed):
    """Stretches of arm motion and of driving and turning, with gripper and torso commands mixed in."""
    rng = np.random.default_rng(seed)
    actions = rng.uniform(-1.2, 1.2, (ticks, ACTION_DIM))
    for tick, action in enumerate(actions):
        if tick // 15 % 2:
            action[BASE_MODE] = 1.0
            action[:6] *= 0.1
            action[BASE][2] = (-1) ** (tick // 60)
        else:
            action[BASE_MODE] = -1.0
            action[:6] *= 0.3
            action[BASE] = 0.0
        if tick % 4:
            action[10] = 0.0
        if tick % 7 == 0:
            action[3:7] = 0.0
    return actions


def robot_motion(ids, data):
    """Positions and velocities of all thirteen robot joints."""
    qpos = [*ids.base_qpos, ids.torso_qpos, *ids.arm_qpos, *ids.finger_qpos]
    qvel = [*ids.base_dof, ids.torso_dof, *ids.arm_dof, *ids.finger_dof]
    return np.concatenate([data.qpos[qpos], data.qvel[qvel]])


@pytest.mark.parametrize("yaw", [0.0, 1.3, -2.4])
def test_trajectory_is_that_of_env_step(env, yaw):
    model, theirs = env.sim.model._model, env.sim.data._data
    ids = RobotIds.resolve(model)
    theirs.qpos[ids.base_qpos[2]] = yaw
    mujoco.mj_forward(model, theirs)
    ours = mujoco.MjData(model)
    set_physics(model, ours, physics(model, theirs))
    controller = RobotController(model, ours)
    controller.set_state(robosuite_state(env))

    for tick, action in enumerate(random_actions(80, seed=int(10 * yaw) + 100)):
        env.step(action.copy())
        step_tick(model, ours, controller, action, SUBSTEPS)
        np.testing.assert_array_equal(robot_motion(ids, ours), robot_motion(ids, theirs), f"tick {tick}")
        np.testing.assert_array_equal(ours.ctrl, theirs.ctrl, f"tick {tick}")
    np.testing.assert_array_equal(controller.get_state()[: -1 - ACTION_DIM], robosuite_state(env)[: -1 - ACTION_DIM])


def test_reset_is_that_of_robosuite(env):
    model, theirs, robot = env.sim.model._model, env.sim.data._data, env.robots[0]
    ids = RobotIds.resolve(model)
    theirs.qvel[:] = 0.0
    theirs.qpos[ids.base_qpos[2]] = 0.0  # robosuite takes the heading it resets at for the spawn heading
    robot.reset(deterministic=True)
    ours = mujoco.MjData(model)
    set_physics(model, ours, physics(model, theirs))
    controller = RobotController(model, ours)

    actions = random_actions(20, seed=5)
    actions[0, BASE_MODE] = -1.0
    for action in actions:
        env.step(action.copy())
        step_tick(model, ours, controller, action, SUBSTEPS)
        np.testing.assert_array_equal(robot_motion(ids, ours), robot_motion(ids, theirs))


def test_reset_holds_the_pose(twin):
    model, data, controller = twin
    data.qvel[:] = 0.0
    controller.reset()
    hold = np.zeros(ACTION_DIM)
    hold[BASE_MODE] = 1.0
    mujoco.mj_kinematics(model, data)
    before = robot_state(controller.ids, data)
    for _ in range(20):
        step_tick(model, data, controller, hold, SUBSTEPS)
    mujoco.mj_kinematics(model, data)
    np.testing.assert_allclose(robot_state(controller.ids, data)[:14], before[:14], atol=1e-3)


def test_continues_bit_for_bit_from_a_checkpoint(twin):
    model, data, controller = twin
    actions = random_actions(100, seed=1)
    for action in actions[:50]:
        step_tick(model, data, controller, action, SUBSTEPS)
    checkpoint = physics(model, data), controller.get_state()

    def run_on(data, controller):
        states = []
        for action in actions[50:]:
            step_tick(model, data, controller, action, SUBSTEPS)
            states.append(np.concatenate([physics(model, data), controller.get_state()]))
        return np.array(states)

    first = run_on(data, controller)
    set_physics(model, data, checkpoint[0])
    controller.set_state(checkpoint[1])
    np.testing.assert_array_equal(run_on(data, controller), first)

    fresh = mujoco.MjData(model)
    other = RobotController(model, fresh)
    set_physics(model, fresh, checkpoint[0])
    other.set_state(checkpoint[1])
    np.testing.assert_array_equal(run_on(fresh, other), first)


def test_continues_from_inside_a_tick(twin):
    model, data, controller = twin
    action = random_actions(20, seed=2)[16]
    controller.set_action(action)
    checkpoint = physics(model, data), controller.get_state()
    step_tick(model, data, controller, action, SUBSTEPS)
    expected = physics(model, data)

    set_physics(model, data, checkpoint[0])
    controller.set_state(checkpoint[1])
    for _ in range(SUBSTEPS):
        mujoco.mj_step1(model, data)
        controller.control()
        mujoco.mj_step2(model, data)
    np.testing.assert_array_equal(physics(model, data), expected)


def test_robot_state_is_robosuites_observables(env):
    model, data = env.sim.model._model, env.sim.data._data
    ids = RobotIds.resolve(model)
    for action in random_actions(40, seed=4)[::4]:
        env.step(action)
        mujoco.mj_forward(model, data)
        seen = env._get_observations(force_update=True)
        keys = ("base_to_eef_pos", "base_to_eef_quat", "base_pos", "base_quat", "gripper_qpos")
        expected = np.concatenate([seen[f"robot0_{key}"] for key in keys])
        state = robot_state(ids, data)
        assert state.dtype == np.float32 and state.shape == (STATE_DIM,)
        # robosuite's quaternions go through single precision, hence the last digit
        np.testing.assert_allclose(state, expected, rtol=0, atol=3e-7)


def test_rotations_round_like_robosuites():
    import robosuite.utils.transform_utils as T

    vectors = np.random.default_rng(0).uniform(-0.5, 0.5, (200, 3))
    vectors[:6, 1:] = 0.0
    vectors[0] = 0.0
    for vector in vectors:
        np.testing.assert_array_equal(rotation_from_vector(vector), T.quat2mat(T.axisangle2quat(vector)))


def test_names_match_dimensions():
    assert ACTION_DIM == 12 == len(set(ACTION_NAMES))
    assert STATE_DIM == 16 == len(set(STATE_NAMES))


def test_model_without_the_robot_is_refused():
    model = mujoco.MjModel.from_xml_string("<mujoco><worldbody><body name='cup'/></worldbody></mujoco>")
    with pytest.raises(RobotNotFoundError, match=r"no complete PandaOmron.*robot0_joint1"):
        RobotController(model, mujoco.MjData(model))


@pytest.mark.parametrize("action", [np.zeros(11), np.full(12, np.nan)])
def test_bad_actions_are_refused(twin, action):
    with pytest.raises(ValueError, match="12 finite numbers"):
        twin[2].set_action(action)


def test_bad_states_are_refused(twin):
    with pytest.raises(ValueError, match="shape"):
        twin[2].set_state(np.zeros(3))


def test_compiles_without_a_place_for_the_cache(monkeypatch):
    from numba.core import caching

    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])

    def double(x: float) -> float:
        return 2.0 * x

    assert compiled(double)(3.0) == 6.0
