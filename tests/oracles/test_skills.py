"""The motions, on the bench: they arrive, keep inside the envelope, and fail with their reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from oracles.base import Motion, Reason, Session, SkillFailed
from oracles.runner import ENVELOPE
from oracles.skills.arm import (
    base_frame,
    gripper_frame,
    gripper_gap,
    hand_down,
    move,
    servo,
    set_gripper,
    still_action,
    wait,
)
from oracles.skills.drive import TOLERANCE, base_yaw, drive
from oracles.skills.grasp import MIN_GAP, grasp, lift, release
from oracles.skills.look import GAZE_TICKS, look_down
from oracles.skills.press import press_submit
from oracles.skills.reach import lateral, step_to
from oracles.skills.slide import slide
from sim.assets import AssetRoots
from sim.robot import ARM, BASE, BASE_MODE
from sim.world import World
from tasks.props.submit import SubmitRule
from tests.bench import Notes, bench_instance

pytestmark = pytest.mark.xdist_group("kitchen17")


@pytest.fixture(scope="module")
def world(bench_xml: str, roots: AssetRoots) -> World:
    return World(bench_xml, roots, [SubmitRule(lambda world: (True, 1.0))])


@pytest.fixture
def session(world: World) -> Session:
    world.reset()
    return Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)


def do(session: Session, motion: Motion[Any]) -> tuple[list[np.ndarray], Any]:
    """Runs a motion as the runner does; returns its actions and its result."""
    done: list[np.ndarray] = []
    try:
        while True:
            action = next(motion)
            assert (np.abs(action) <= ENVELOPE + 1e-6).all()
            assert not (np.any(action[BASE]) and (np.any(action[ARM]) or action[BASE_MODE] <= 0))
            session.world.tick(action)
            done.append(action)
            if session.world.rules[0].pressed:
                return done, None
    except StopIteration as stop:
        return done, stop.value


def sideways(session: Session) -> np.ndarray:
    return base_frame(session.world)[1][:, 1]


@pytest.mark.parametrize("direction", [(1.0, 0.0), (0.0, 1.0), (-0.6, 0.8), (0.3, -2.0)])
def test_hand_down_points_down_and_opens_along_the_direction(session: Session, direction: tuple[float, float]) -> None:
    turn = hand_down(session.world, np.array(direction))
    np.testing.assert_allclose(turn.T @ turn, np.eye(3), atol=1e-12)
    assert np.linalg.det(turn) == pytest.approx(1.0)
    np.testing.assert_allclose(turn[:, 2], [0, 0, -1])
    unit = np.array(direction) / np.linalg.norm(direction)
    assert abs(turn[:2, 0] @ unit) == pytest.approx(1.0)


def test_hand_down_takes_the_grasp_that_turns_the_wrist_less(session: Session) -> None:
    _, now = gripper_frame(session.world)
    for angle in np.linspace(0, 2 * np.pi, 17):
        turn = hand_down(session.world, np.array([np.cos(angle), np.sin(angle)]))
        assert turn[:, 0] @ now[:, 0] > -0.1


def test_servo_aims_at_the_target_within_the_envelope(session: Session) -> None:
    at, turn = gripper_frame(session.world)
    _, base = base_frame(session.world)
    for offset in (np.array([0.5, -0.3, 0.1]), np.array([0.001, 0.002, -0.003])):
        action = servo(session, at + offset, turn)
        assert (np.abs(action) <= ENVELOPE + 1e-9).all()
        step = base @ action[:3]
        assert step @ offset / np.linalg.norm(step) / np.linalg.norm(offset) == pytest.approx(1.0)
    assert np.abs(servo(session, at + [1, 0, 0], turn)[:3]).max() == pytest.approx(ENVELOPE[0])
    assert np.abs(servo(session, at + [1, 0, 0], turn, speed=0.5)[:3]).max() == pytest.approx(ENVELOPE[0] / 2)
    np.testing.assert_array_equal(servo(session, at, None), still_action(session))


def test_move_arrives(session: Session) -> None:
    at, turn = gripper_frame(session.world)
    target = at + [0.0, 0.0, 0.05] + 0.06 * sideways(session)
    do(session, move(session, target, turn))
    there, turned = gripper_frame(session.world)
    assert np.linalg.norm(there - target) < 0.005
    assert np.trace(turned.T @ turn) > 2.99
    assert do(session, move(session, target, turn))[0] == []


def test_move_to_a_place_out_of_reach_fails(session: Session) -> None:
    at, _ = gripper_frame(session.world)
    with pytest.raises(SkillFailed) as caught:
        do(session, move(session, at + [0, 0, 2.0], limit=15))
    assert caught.value.reason is Reason.UNREACHABLE
    assert "mm" in caught.value.detail


def test_move_gives_up_when_it_comes_no_nearer(session: Session) -> None:
    """The hand stands on the button's rim and is told to go through it."""
    at, turn = gripper_frame(session.world)
    session.grip = 1.0
    rim = at + 0.041 * sideways(session)
    do(session, move(session, rim, turn))
    session.world.rules[0].set_state(None)
    done: list[np.ndarray] = []
    with pytest.raises(SkillFailed, match="unreachable"):
        for action in move(session, rim - [0, 0, 0.5], turn, limit=150):
            session.world.tick(action)
            done.append(action)
    assert 20 < len(done) < 150


def test_the_gripper_closes_and_opens(session: Session) -> None:
    do(session, set_gripper(session, close=True))
    assert session.grip == 1.0
    assert gripper_gap(session.world) < MIN_GAP
    do(session, set_gripper(session, close=False))
    assert session.grip == -1.0
    assert gripper_gap(session.world) > 0.07


def test_wait_keeps_the_gripper_command(session: Session) -> None:
    session.grip = 1.0
    done, _ = do(session, wait(session, 3))
    assert [action[6] for action in done] == [1.0] * 3
    assert not np.any([action[:6] for action in done])


def test_a_grasp_of_nothing_slips(session: Session) -> None:
    at, turn = gripper_frame(session.world)
    with pytest.raises(SkillFailed) as caught:
        do(session, grasp(session, at + [0, 0, 0.02], turn, approach=0.02))
    assert caught.value.reason is Reason.SLIPPED


def test_lifting_what_is_not_held_slips(session: Session) -> None:
    do(session, set_gripper(session, close=True))
    with pytest.raises(SkillFailed, match="slipped"):
        do(session, lift(session, 0.02))


def test_release_opens_and_backs_out(session: Session) -> None:
    at, turn = gripper_frame(session.world)
    session.grip = 1.0
    do(session, release(session, retreat=0.04))
    assert gripper_gap(session.world) > 0.07
    there, _ = gripper_frame(session.world)
    assert (at - there) @ turn[:, 2] == pytest.approx(0.04, abs=0.012)


def test_drive_arrives_and_moves_the_base_only(session: Session) -> None:
    position, rotation = base_frame(session.world)
    target = position + 0.12 * rotation[:, 1] - 0.05 * rotation[:, 0]
    grip = gripper_frame(session.world)[0] - position
    done, _ = do(session, drive(session, (target[0], target[1], base_yaw(session.world))))
    there, _ = base_frame(session.world)
    assert np.linalg.norm(there - target) < TOLERANCE + 0.004
    assert all(action[BASE_MODE] > 0 and not np.any(action[ARM]) for action in done)
    np.testing.assert_allclose(gripper_frame(session.world)[0] - there, grip, atol=0.02)


def test_drive_turns(session: Session) -> None:
    position, _ = base_frame(session.world)
    yaw = base_yaw(session.world)
    do(session, drive(session, (position[0], position[1], yaw + 0.15)))
    assert base_yaw(session.world) == pytest.approx(yaw + 0.15, abs=0.03)


def test_a_long_drive_is_not_cut_off(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("oracles.skills.drive.FASTEST", 0.02)
    position, rotation = base_frame(session.world)
    target = position - 0.6 * rotation[:, 0]
    done, _ = do(session, drive(session, (target[0], target[1], base_yaw(session.world))))
    assert len(done) > 500
    assert np.linalg.norm(base_frame(session.world)[0] - target) < TOLERANCE + 0.004


def test_driving_into_the_work_top_stalls(session: Session) -> None:
    position, rotation = base_frame(session.world)
    target = position + 0.6 * rotation[:, 0]
    with pytest.raises(SkillFailed) as caught:
        do(session, drive(session, (target[0], target[1], base_yaw(session.world))))
    assert caught.value.reason is Reason.STALLED


def test_step_to_steps_only_if_the_point_is_far_to_the_side(session: Session) -> None:
    position, rotation = base_frame(session.world)
    near = position + 0.6 * rotation[:, 0] + 0.1 * rotation[:, 1]
    assert lateral(session, near) == pytest.approx(0.1)
    assert do(session, step_to(session, near))[0] == []
    far = position + 0.6 * rotation[:, 0] - 0.2 * rotation[:, 1]
    do(session, step_to(session, far))
    assert abs(lateral(session, far)) < 0.02


def test_slide_says_how_far_the_hand_went(session: Session) -> None:
    at, _ = gripper_frame(session.world)
    way = sideways(session)
    _, gone = do(session, slide(session, way, 0.05))
    assert gone == pytest.approx(0.05, abs=0.005)
    assert (gripper_frame(session.world)[0] - at) @ way == pytest.approx(gone, abs=1e-9)


def test_slide_against_something_fixed_stops(session: Session) -> None:
    """Down onto the button, which gives 9 mm and no more; nobody ends the episode here."""
    at, _ = gripper_frame(session.world)
    motion, ticks = slide(session, np.array([0.0, 0.0, -1.0]), 0.5), 0
    with pytest.raises(StopIteration) as stop:
        while True:
            session.world.tick(next(motion))
            ticks += 1
    gone = stop.value.value
    assert 0.01 < gone < 0.15
    assert gone == pytest.approx(at[2] - gripper_frame(session.world)[0][2], abs=1e-9)
    assert ticks < 80


def test_slide_with_empty_fingers_slips(session: Session) -> None:
    do(session, set_gripper(session, close=True))
    with pytest.raises(SkillFailed) as caught:
        do(session, slide(session, sideways(session), 0.05))
    assert caught.value.reason is Reason.SLIPPED


def test_look_down_holds_the_hand_over_the_point(session: Session) -> None:
    _, base = base_frame(session.world)
    at, _ = gripper_frame(session.world)
    point = at + 0.06 * base[:, 0] + [0, 0, -0.35]
    done, _ = do(session, look_down(session, point, 0.40))
    there, turn = gripper_frame(session.world)
    np.testing.assert_allclose(there, point + [0, 0, 0.40] - 0.06 * base[:, 0], atol=0.03)
    assert turn[2, 2] < -0.98
    assert len(done) >= GAZE_TICKS
    assert not np.any([action[:6] for action in done[-GAZE_TICKS:]])


def test_press_submit_presses(session: Session) -> None:
    done, _ = do(session, press_submit(session))
    assert session.world.rules[0].pressed
    assert done[-1][6] == 1.0
    assert [e.kind for e in session.world.events] == ["submitted"]
