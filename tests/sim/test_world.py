"""The world: the same actions give the same bits, whatever was looked at, saved or restored in between."""

from __future__ import annotations

from collections.abc import Callable

import mujoco
import numpy as np
import pytest

from oracles.eyes import Eyes
from sim.assets import AssetRoots
from sim.world import RESET_TICKS, STATE_SPEC, World
from tasks.props.submit import SubmitRule
from tests.bench import Counting, arm, base, press, still

pytestmark = pytest.mark.xdist_group("kitchen17")


def new_world(bench_xml: str, roots: AssetRoots) -> World:
    return World(bench_xml, roots, (SubmitRule(lambda world: (True, world.tick_count / 100)), Counting()))


@pytest.fixture(scope="module")
def world(bench_xml: str, roots: AssetRoots) -> World:
    return new_world(bench_xml, roots)


@pytest.fixture(scope="module")
def other(bench_xml: str, roots: AssetRoots) -> World:
    return new_world(bench_xml, roots)


def actions(ticks: int = 24, seed: int = 0) -> list[np.ndarray]:
    """Arm, base, gripper and torso in turn, and at the end a press."""
    rng = np.random.default_rng(seed)
    kinds = (
        lambda: arm(int(rng.integers(6)), rng.uniform(-0.3, 0.3), grip=rng.choice([-1.0, 1.0])),
        lambda: base(*rng.uniform(-0.5, 0.5, 3)),
    )
    out = [kinds[t // 6 % 2]() for t in range(ticks)]
    out[min(3, ticks - 1)][10] = 0.5
    return out[: ticks - 8] + [press()] * min(8, ticks)


def run(world: World, todo: list[np.ndarray], between: Callable[[World], object] | None = None) -> np.ndarray:
    """States and controller states (T, n) after each action."""
    out = []
    for action in todo:
        world.tick(action)
        if between:
            between(world)
        out.append(np.concatenate([world.physics_state(), world.controller.get_state()]))
    return np.array(out)


def memory(world: World) -> object:
    return [rule.get_state() for rule in world.rules], [(e.tick, e.kind, e.data) for e in world.events]


def assert_same_bits(a: np.ndarray, b: np.ndarray) -> None:
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes(), f"first difference at tick {np.flatnonzero((a != b).any(axis=1))[:1]}"


def test_equal_actions_give_equal_bits_in_two_worlds(world: World, other: World) -> None:
    world.reset()
    other.reset()
    assert world.physics_state().tobytes() == other.physics_state().tobytes()
    assert_same_bits(run(world, actions()), run(other, actions()))
    assert memory(world) == memory(other)
    assert [e.kind for e in world.events].count("counted") == 4
    moved = np.abs(world.data.qpos[world.ids.base_qpos]).max()
    assert moved > 0.01


def test_other_actions_give_another_trajectory(world: World) -> None:
    world.reset()
    first = run(world, actions(12))
    world.reset()
    assert not np.array_equal(first, run(world, actions(12, seed=1)))


def test_reset_forgets_the_past(world: World, other: World) -> None:
    world.reset()
    fresh = world.physics_state(), world.controller.get_state(), memory(world)
    run(world, actions())
    world.reset()
    assert world.tick_count == 0
    np.testing.assert_array_equal(world.physics_state(), fresh[0])
    np.testing.assert_array_equal(world.controller.get_state(), fresh[1])
    assert memory(world) == fresh[2] == ([None, (0, 0)], [])
    assert world.data.time == pytest.approx(RESET_TICKS / 20)


def test_continues_from_a_checkpoint_bit_for_bit(world: World) -> None:
    todo = actions(30)
    world.reset()
    run(world, todo[:13])
    checkpoint, before = world.checkpoint(), memory(world)
    first = run(world, todo[13:])
    after = memory(world)
    assert after != before

    world.restore(checkpoint)
    assert world.tick_count == 13
    assert memory(world) == before
    assert_same_bits(run(world, todo[13:]), first)
    assert memory(world) == after

    world.restore(checkpoint)
    run(world, actions(9, seed=3))
    world.restore(checkpoint)
    assert_same_bits(run(world, todo[13:]), first)


def test_a_checkpoint_is_not_disturbed_by_what_follows(world: World) -> None:
    world.reset()
    checkpoint = world.checkpoint()
    physics, controller = checkpoint.physics.copy(), checkpoint.controller.copy()
    run(world, actions(10))
    np.testing.assert_array_equal(checkpoint.physics, physics)
    np.testing.assert_array_equal(checkpoint.controller, controller)


def test_restored_kinematics_are_those_of_the_state(world: World) -> None:
    world.reset()
    at = world.robot_state()
    checkpoint = world.checkpoint()
    run(world, actions(10))
    assert not np.array_equal(world.robot_state(), at)
    world.restore(checkpoint)
    np.testing.assert_array_equal(world.robot_state(), at)


def test_looking_does_not_change_the_trajectory(bench_xml: str, roots: AssetRoots, world: World) -> None:
    """Judging contacts and drawing from three cameras in every tick, against a world without rules that nobody
    looks at.
    """
    blind = World(bench_xml, roots)
    blind.reset()
    world.reset()
    cube = world.model.geom("cube_visual").id

    def look(world: World) -> None:
        world.judged()
        world.robot_state()
        if world.tick_count % 6 == 0:
            eyes.seen({"cube": [cube]}, min_pixels=1)

    with Eyes(world) as eyes:
        assert_same_bits(run(world, actions(), look), run(blind, actions()))


def test_judging_uses_the_state_alone(world: World, other: World) -> None:
    """A recorded state shown to another world has the contacts and forces of the live run."""
    world.reset()
    run(world, actions(30))
    judged = world.judged()
    assert judged is world.judged()
    assert judged.ncon > 0
    other.reset()
    other.show_state(world.physics_state())
    shown = other.judged()
    np.testing.assert_array_equal(shown.contact.dist, judged.contact.dist)
    np.testing.assert_array_equal(shown.efc_force, judged.efc_force)
    np.testing.assert_array_equal(other.robot_state(), world.robot_state())


def test_judgement_follows_a_restored_state_of_the_same_tick(world: World) -> None:
    world.reset()
    up = world.judged().xpos[world.model.body("cube").id].copy()
    state = world.physics_state()
    state[1 + world.model.joint("cube_joint").qposadr[0]] += 0.1
    world.start_from(state, world.controller.get_state())
    assert world.tick_count == 0
    assert world.judged().xpos[world.model.body("cube").id][0] == pytest.approx(up[0] + 0.1)


def test_a_recorded_start_replays(world: World, other: World) -> None:
    world.reset()
    run(world, actions(9, seed=5))
    world.start_from(world.physics_state(), world.controller.get_state())
    start = world.physics_state(), world.controller.get_state()
    recorded = run(world, actions())

    other.reset()
    run(other, actions(7, seed=8))
    other.start_from(*start)
    assert other.events == []
    assert other.tick_count == 0
    assert_same_bits(run(other, actions()), recorded)
    assert memory(other) == memory(world)


def test_actions_are_used_in_the_precision_they_are_recorded_in(world: World) -> None:
    todo = [a * 0.987654321 for a in actions(12)]
    world.reset()
    first = run(world, todo)
    world.reset()
    assert_same_bits(run(world, [a.astype(np.float32) for a in todo]), first)


def test_showing_states_runs_the_rules_as_simulating_does(world: World, other: World) -> None:
    world.reset()
    start = world.physics_state(), world.controller.get_state()
    states = []
    for action in [*actions(), *[press()] * 25]:
        world.tick(action)
        states.append(world.physics_state())
    assert "submitted" in [e.kind for e in world.events]
    other.start_from(*start)
    for state in states:
        other.show_state(state)
    assert memory(other) == memory(world)


def test_paint_is_an_event_and_goes_back_with_it(world: World) -> None:
    world.reset()
    before = world.model.geom("cube_visual").rgba.copy()
    checkpoint = world.checkpoint()
    world.paint("cube_visual", (0, 0, 1, 1))
    assert [e.data["geom"] for e in world.events] == ["cube_visual"]
    painted = world.checkpoint()
    np.testing.assert_allclose(world.model.geom("cube_visual").rgba, [0, 0, 1, 1])
    world.paint("cube_visual", (0, 1, 0, 1))
    world.restore(painted)
    np.testing.assert_allclose(world.model.geom("cube_visual").rgba, [0, 0, 1, 1])
    world.restore(checkpoint)
    np.testing.assert_array_equal(world.model.geom("cube_visual").rgba, before)
    world.paint("cube_visual", (0, 0, 1, 1))
    world.reset()
    np.testing.assert_array_equal(world.model.geom("cube_visual").rgba, before)


def test_a_state_of_another_model_is_refused(world: World) -> None:
    world.reset()
    with pytest.raises(ValueError, match=r"a state of this model has \d+ numbers, not \(3,\)"):
        world.show_state(np.zeros(3))


def test_the_state_is_mujocos_integration_state(world: World) -> None:
    world.reset()
    world.tick(still())
    state = np.empty(mujoco.mj_stateSize(world.model, int(mujoco.mjtState.mjSTATE_INTEGRATION)))
    mujoco.mj_getState(world.model, world.data, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    assert int(mujoco.mjtState.mjSTATE_INTEGRATION) == STATE_SPEC
    np.testing.assert_array_equal(world.physics_state(), state)


def test_events_carry_the_tick_they_happened_at(world: World) -> None:
    world.reset()
    run(world, [still()] * 10)
    assert [(e.tick, e.kind, e.data["ticks"]) for e in world.events] == [(5, "counted", 5), (10, "counted", 10)]
