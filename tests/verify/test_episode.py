from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from verify_toy import Toy, instance

from verify import activity, motion
from verify.episode import CHECKS, check_recording

pytestmark = pytest.mark.usefixtures("toy_words")


def failures(recording, roots):
    return check_recording(recording, roots).failures


def address(world, joint):
    return 1 + int(world.model.jnt_qposadr[world.model.joint(joint).id])


@pytest.fixture(scope="module")
def world(stored, roots):
    return Toy().world(instance(), stored, roots)


def test_a_good_recording_passes(good, roots):
    verdict = check_recording(good, roots)
    assert verdict.failures == {}
    assert verdict.ok
    assert verdict.figures["ticks"] == good.ticks
    assert verdict.figures["stall_share"] < activity.STALL_SHARE
    assert verdict.figures["subtasks"] == 2
    assert 0 < verdict.figures["max_joint_speed"] < 3


def test_what_cannot_be_checked_fails_and_never_raises(changed, roots):
    broken = replace(changed, model="<mujoco/>", outcome={}, instance={}, timeline=[{}], events=[{}], assets={})
    found = failures(broken, roots)
    assert set(found) == set(CHECKS) - {"envelope", "finite", "assets"}
    assert "the check broke" in found["success"]


def test_a_changed_instance(changed, roots):
    changed.instance["seed"] += 1
    found = failures(changed, roots)
    assert "was changed" in found["instance"]


def test_an_instance_of_another_version(changed, roots):
    record = replace(instance(), version="0").to_json()
    assert set(failures(replace(changed, instance=record), roots)) == {"instance"}


def test_another_asset_file(changed, roots):
    name = sorted(changed.assets)[0]
    changed.assets[name] = "0" * 16
    found = failures(changed, roots)
    assert set(found) == {"assets"}
    assert name in found["assets"]


@pytest.mark.parametrize(
    ("key", "value", "checks"),
    [
        ("ticks", 3, {"outcome"}),
        ("success", False, {"outcome", "success"}),
        ("success", 1, {"outcome", "success"}),
        ("reason", "slipped", {"outcome"}),
        ("progress", 0.5, {"outcome", "success"}),
    ],
)
def test_an_outcome_that_does_not_fit(changed, roots, key, value, checks):
    changed.outcome[key] = value
    assert set(failures(changed, roots)) == checks


def test_events_must_be_those_of_the_states(changed, roots):
    changed.events[-1]["tick"] -= 1
    assert set(failures(changed, roots)) == {"outcome", "events"}
    changed.events.clear()
    assert set(failures(changed, roots)) == {"outcome", "events"}


def test_a_failure_sold_as_a_success(changed, roots, world):
    torso = address(world, "mobilebase0_joint_torso_height")
    changed.states[:, torso] = 0.001
    found = failures(changed, roots)
    assert "not a success" in found["success"]
    assert "replay" in found


def test_a_flipped_action_bit(changed, roots):
    changed.actions[3].view(np.uint32)[5] ^= 1
    assert set(failures(changed, roots)) == {"replay"}


def test_a_changed_state(changed, roots, world):
    changed.states[4, address(world, "robot0_joint3")] += 1e-9
    assert set(failures(changed, roots)) == {"replay"}


def test_another_start(changed, roots):
    changed.controller[0] += 1e-12
    assert "first_state" in failures(changed, roots)


def test_the_press_must_be_the_end(good, roots):
    longer = replace(
        good,
        states=np.concatenate([good.states, good.states[-1:]]),
        actions=np.concatenate([good.actions, good.actions[-1:]]),
    )
    found = failures(longer, roots)
    assert "goes on" in found["success"]
    assert "clock" in found


def test_an_action_outside_the_envelope(changed, roots):
    changed.actions[2, 0] = 0.4
    assert set(failures(changed, roots)) == {"envelope", "replay"}


def test_nan(changed, roots):
    changed.states[6, 9] = np.nan
    found = failures(changed, roots)
    assert "state 6" in found["finite"]
    assert "teleport" in found


def test_a_cube_that_jumps(changed, roots, world):
    changed.states[9:, address(world, "cube_joint")] += 0.03
    found = failures(changed, roots)
    assert set(found) == {"teleport", "replay"}
    assert "cube_joint" in found["teleport"]
    assert "state 8 to 9" in found["teleport"]


def test_a_cube_out_of_the_room(changed, roots, world):
    changed.states[:, address(world, "cube_joint")] += 20
    assert set(failures(changed, roots)) == {"room", "first_state", "replay"}


def test_a_joint_past_its_limit(changed, roots, world):
    changed.states[:, address(world, "robot0_joint4")] = 0.2
    assert "joint_limits" in failures(changed, roots)


def test_an_invisible_hand(changed, roots, world):
    start = mujoco.mj_stateSize(world.model, int(mujoco.mjtState.mjSTATE_XFRC_APPLIED) - 1)
    changed.states[5, start + 6 * world.model.body("cube").id + 2] = 1.0
    found = failures(changed, roots)
    assert set(found) == {"forces", "replay"}


def test_a_robot_inside_a_wall(changed, roots, world):
    changed.states[:, address(world, "mobilebase0_joint_mobile_forward")] += 1.75
    assert "wall_east" in failures(changed, roots)["contacts"]


def test_captions(changed, roots):
    changed.timeline[1]["subtask"]["verb"] = "nothing"
    assert set(failures(changed, roots)) == {"captions"}
    changed.timeline.pop()
    assert "the timeline ends" in failures(changed, roots)["captions"]


def test_idle_and_stalled_ticks():
    actions = np.zeros((100, 12), np.float32)
    robot = np.zeros((101, 16), np.float32)
    robot[:, 6] = robot[:, 13] = 1
    robot[:, 0] = np.arange(101) * 0.01
    actions[:, 0] = 0.2
    assert activity.check_activity(activity.measure(actions, robot)) == ""
    robot[50:71, 0] = robot[50, 0]
    assert "stuck" in activity.check_activity(activity.measure(actions, robot))
    actions[50:70] = 0
    found = activity.measure(actions, robot)
    assert found.idle_share == 0.2
    assert "idle" in activity.check_activity(found)


def test_a_clock_that_stops(changed, world):
    changed.states[7:, 0] -= 0.01
    assert "state 6 to 7" in motion.check_clock(world.model, changed.states)
