"""Props: solids with a visual twin, the tray's inside, and the one press of SUBMIT."""

from __future__ import annotations

from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from sim.contact import subtree
from tasks.props.solids import SOLIMP, SOLREF, add_collision, add_solid, add_visual
from tasks.props.submit import (
    CAP_CENTRE_Z,
    CAP_HALF_HEIGHT,
    CAP_RADIUS,
    CAP_TOP_Z,
    PRESS_TRAVEL,
    SubmitRule,
    add_submit,
)
from tasks.props.tray import FLOOR, HALF, INSET, RIM, add_tray, in_tray

FINGER = 0.008


def test_a_solid_has_a_twin_that_is_seen_and_not_felt() -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="thing")
    body.add_freejoint()
    add_solid(body, "heavy", "cylinder", (0.03, 0.05), rgba=(1, 0, 0, 1), mass=0.2, pos=(0.1, 0, 0), condim=6)
    add_solid(body, "light", "box", (0.1, 0.05, 0.02), rgba=(0, 1, 0, 1), density=500.0)
    model = spec.compile()
    solid, visual = model.geom("heavy"), model.geom("heavy_visual")
    assert (solid.group[0], visual.group[0]) == (0, 1)
    assert (solid.contype[0], solid.conaffinity[0], solid.condim[0]) == (1, 1, 6)
    assert (visual.contype[0], visual.conaffinity[0]) == (0, 0)
    np.testing.assert_array_equal(solid.size, visual.size)
    np.testing.assert_array_equal(solid.pos, visual.pos)
    np.testing.assert_array_equal(solid.solref, SOLREF)
    np.testing.assert_array_equal(solid.solimp, SOLIMP)
    assert model.body("thing").mass[0] == pytest.approx(0.2 + 500 * 8 * 0.1 * 0.05 * 0.02)


def test_what_is_felt_and_what_is_seen_may_be_added_alone() -> None:
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="thing")
    body.add_freejoint()
    add_collision(body, "felt", "box", (0.1, 0.05, 0.02), rgba=(1, 0, 0, 1), mass=0.2)
    add_visual(body, "seen", "sphere", (0.03,), rgba=(1, 0, 0, 1), pos=(0.1, 0, 0))
    model = spec.compile()
    assert [model.geom(g).name for g in range(model.ngeom)] == ["felt", "seen_visual"]
    assert model.geom_contype.tolist() == [1, 0]
    assert model.body("thing").mass[0] == pytest.approx(0.2)


@pytest.fixture(scope="module")
def tray() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    add_tray(spec, (1.0, 2.0, 0.9), 0.7, (0.9, 0.9, 0.9))
    ball = spec.worldbody.add_body(name="ball", pos=[1.0, 2.0, 0.96])
    ball.add_freejoint()
    add_solid(ball, "ball", "sphere", (0.02,), rgba=(1, 0, 0, 1), friction=(1, 0.01, 0.01), condim=6)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def world_point(x: float, y: float) -> np.ndarray:
    c, s = np.cos(0.7), np.sin(0.7)
    return np.array([1.0 + c * x - s * y, 2.0 + s * x + c * y, 0.9 + FLOOR + 0.02])


@pytest.mark.parametrize(
    ("x", "y", "above_floor", "expected"),
    [
        (0.0, 0.0, 0.0, True),
        (HALF[0] - INSET - 1e-4, HALF[1] - INSET - 1e-4, 0.0, True),
        (-(HALF[0] - INSET) + 1e-4, 0.0, 0.0, True),
        (HALF[0] - INSET + 1e-4, 0.0, 0.0, False),
        (0.0, HALF[1] - INSET + 1e-4, 0.0, False),
        (0.0, -(HALF[1] - INSET) - 1e-4, 0.0, False),
        (0.0, 0.0, 0.0299, True),
        (0.0, 0.0, 0.0301, False),
        (0.0, 0.0, -0.0059, True),
        (0.0, 0.0, -0.0061, False),
    ],
)
def test_in_tray_is_within_the_inset_and_near_the_floor(tray, x, y, above_floor, expected) -> None:
    model, data = tray
    body = model.body("tray").id
    assert in_tray(data, body, world_point(x, y), 0.9 + FLOOR + above_floor) is expected


def test_a_thing_that_is_dropped_into_the_tray_stays_in_it(tray) -> None:
    model, _ = tray
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    at = data.body("ball").xpos
    assert in_tray(data, model.body("tray").id, at, at[2] - 0.02)
    assert at[2] == pytest.approx(0.9 + FLOOR + 0.02, abs=1e-3)
    walls = [g for g in range(model.ngeom) if "wall" in model.geom(g).name and model.geom_group[g] == 0]
    assert len(walls) == 4
    assert {round(float(data.geom_xpos[g][2] + model.geom_size[g][2] - 0.9), 6) for g in walls} == {RIM}


class ButtonWorld:
    """A button, a robot that is one sphere, and a stray ball; poses are set and not simulated."""

    def __init__(self) -> None:
        spec = mujoco.MjSpec()
        add_submit(spec, (0.0, 0.0, 0.9), 0.4)
        for name in ("finger", "stray"):
            body = spec.worldbody.add_body(name=name)
            body.add_freejoint(name=name)
            add_solid(body, name, "sphere", (FINGER,), rgba=(1, 1, 1, 1))
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.robot_geoms = subtree(self.model, self.model.body("finger").id)
        self.events: list[tuple[str, dict[str, object]]] = []
        self.value = 0.0

    def judged(self) -> mujoco.MjData:
        mujoco.mj_forward(self.model, self.data)
        return self.data

    def emit(self, kind: str, **data: object) -> None:
        self.events.append((kind, data))

    def show(self, rule: SubmitRule, travel: float, **places: tuple[float, float, float]) -> bool:
        """One tick: the cap is `travel` down and the named spheres stand at places relative to the cap's centre."""
        self.data.joint("submit_joint").qpos[0] = travel
        for name in ("finger", "stray"):
            at = np.array(places.get(name, (0.0, 1.0 if name == "finger" else -1.0, 0.0)))
            self.data.joint(name).qpos[:3] = at + [0, 0, 0.9 + CAP_CENTRE_Z - travel]
        mujoco.mj_forward(self.model, self.data)
        rule.update(self)
        return rule.pressed


ON_TOP = (0.01, 0.0, CAP_HALF_HEIGHT + FINGER - 0.0005)
BESIDE = (CAP_RADIUS + FINGER - 0.0005, 0.0, 0.0)
ABOVE = (0.0, 0.0, CAP_HALF_HEIGHT + FINGER + 0.001)


@pytest.fixture
def button() -> Iterator[tuple[ButtonWorld, SubmitRule]]:
    world = ButtonWorld()
    rule = SubmitRule(lambda w: (w.value > 0.5, w.value))
    rule.reset(world)
    yield world, rule


def test_figures_of_the_button_fit_together() -> None:
    world = ButtonWorld()
    mujoco.mj_forward(world.model, world.data)
    assert world.data.geom("submit_cap").xpos[2] + CAP_HALF_HEIGHT == pytest.approx(0.9 + CAP_TOP_Z)


def test_a_press_needs_travel_and_the_robot_from_above(button) -> None:
    world, rule = button
    assert not world.show(rule, 0.006)
    assert not world.show(rule, PRESS_TRAVEL - 1e-4, finger=ON_TOP)
    assert not world.show(rule, 0.006, finger=ABOVE)
    assert not world.show(rule, 0.006, finger=BESIDE)
    assert not world.show(rule, 0.006, stray=ON_TOP)
    assert not world.show(rule, 0.006, stray=ON_TOP, finger=BESIDE)
    assert world.events == []
    assert world.show(rule, PRESS_TRAVEL + 1e-4, finger=ON_TOP)
    assert [kind for kind, _ in world.events] == ["submitted"]


def test_a_robot_hanging_under_the_cap_does_not_press(button) -> None:
    world, rule = button
    below = (CAP_RADIUS - 0.002, 0.0, -(CAP_HALF_HEIGHT + FINGER - 0.0005))
    assert not world.show(rule, 0.006, finger=below)


def test_the_result_is_frozen_at_the_first_press(button) -> None:
    world, rule = button
    world.value = 0.25
    assert world.show(rule, 0.006, finger=ON_TOP)
    assert rule.result == (False, 0.25)
    world.value = 1.0
    world.show(rule, 0.0)
    world.show(rule, 0.006, finger=ON_TOP)
    assert rule.result == (False, 0.25)
    assert world.events == [("submitted", {"success": False, "progress": 0.25})]


def test_the_memory_of_a_press_is_saved_and_restored(button) -> None:
    world, rule = button
    fresh = rule.get_state()
    world.value = 1.0
    world.show(rule, 0.006, finger=ON_TOP)
    pressed = rule.get_state()
    rule.set_state(fresh)
    assert not rule.pressed
    world.value = 0.75
    world.show(rule, 0.006, finger=ON_TOP)
    assert rule.result == (True, 0.75)
    rule.set_state(pressed)
    assert rule.result == (True, 1.0)
    rule.reset(world)
    assert not rule.pressed


def test_the_cap_springs_back() -> None:
    world = ButtonWorld()
    world.data.joint("submit_joint").qpos[0] = 0.008
    world.data.joint("finger").qpos[:3] = (3, 0, 1)
    world.data.joint("stray").qpos[:3] = (-3, 0, 1)
    for _ in range(500):
        mujoco.mj_step(world.model, world.data)
    assert world.data.joint("submit_joint").qpos[0] < PRESS_TRAVEL
