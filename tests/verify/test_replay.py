from __future__ import annotations

import numpy as np
import pytest
from verify_toy import Toy, instance

from verify.replay import judge_states, replay_actions, reset_state


@pytest.fixture
def world(stored, roots):
    return Toy().world(instance(), stored, roots)


def test_actions_give_the_states_and_states_give_the_result(good, world):
    replay = replay_actions(world, good)
    assert replay.first_difference is None
    assert replay.largest == 0.0
    visited = []
    judgement = judge_states(world, good, lambda tick, _: visited.append(tick))
    assert judgement.pressed_at == good.ticks
    assert judgement.result == replay.result == (True, good.outcome["progress"])
    assert judgement.events == good.events
    assert judgement.robot.shape == (good.ticks + 1, 16)
    assert visited == list(range(good.ticks + 1))


def test_one_flipped_bit_of_one_action_is_found(changed, world):
    changed.actions[7].view(np.uint32)[5] ^= 1
    replay = replay_actions(world, changed)
    assert replay.first_difference == 8
    assert 0 < replay.largest < 1e-3


def test_one_changed_state_is_found(changed, world):
    changed.states[5, 3] = np.nextafter(changed.states[5, 3], 1)
    assert replay_actions(world, changed).first_difference == 5


def test_the_first_state_is_the_reset(good, world):
    physics, controller = reset_state(world)
    assert np.array_equal(physics, good.states[0])
    assert np.array_equal(controller, good.controller)


def test_states_without_the_press_have_no_result(changed, world):
    address = 1 + world.model.jnt_qposadr[world.model.joint("submit_joint").id]
    changed.states[:, address] = 0.0
    judgement = judge_states(world, changed)
    assert judgement.pressed_at is None
    assert judgement.result is None
