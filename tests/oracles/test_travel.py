"""Driving through a kitchen from stance to stance."""

from __future__ import annotations

import numpy as np
import pytest

from oracles.base import Reason, Session, SkillFailed
from oracles.skills.arm import base_frame, gripper_frame
from oracles.skills.drive import base_yaw
from oracles.skills.travel import sidestep, travel, way_to
from sim.assets import AssetRoots
from sim.kitchen import Kitchen
from sim.model import begin_model, finish_model
from sim.surface import find_spots
from sim.world import World
from tests.bench import Notes, bench_instance
from verify.contacts import Depths

pytestmark = pytest.mark.xdist_group("kitchen17")


@pytest.fixture
def session(kitchen17: Kitchen, roots: AssetRoots) -> Session:
    spot = find_spots(kitchen17, (1.30, 0.66), 0.50)[0]
    world = World(finish_model(begin_model(kitchen17, roots, spot.base), roots), roots)
    world.reset()
    return Session(bench_instance(), world, Notes(), np.random.default_rng(0), None)


def before(kitchen: Kitchen, name: str) -> tuple[float, float, float]:
    """The stance 0.25 m before the front of a fixture."""
    box = kitchen.fixture(name).box
    out = np.array([np.sin(box.yaw), -np.cos(box.yaw)])
    x, y = np.array(box.centre[:2]) + out * (box.half[1] + 0.25)
    return float(x), float(y), float(np.arctan2(-out[1], -out[0]))


def test_goes_to_furniture_across_the_room_and_touches_nothing(session: Session, kitchen17: Kitchen) -> None:
    start, _ = base_frame(session.world)
    drawers = [f.name for f in kitchen17.fixtures if f.kind == "Drawer"]
    far = max(
        (before(kitchen17, name) for name in drawers),
        key=lambda stance: np.linalg.norm(np.array(stance[:2]) - start[:2]),
    )
    depths = Depths(session.world)
    for count, action in enumerate(travel(session, far)):
        session.world.tick(action)
        depths(2 * count, session.world)
    position, _ = base_frame(session.world)
    assert np.linalg.norm(position[:2] - np.array(far[:2])) < 0.03
    assert abs((base_yaw(session.world) - far[2] + np.pi) % (2 * np.pi) - np.pi) < 0.03
    assert np.linalg.norm(position[:2] - start[:2]) > 1.0, "the trip is worth the name"
    assert depths.kitchen.metres == 0.0, depths.kitchen


def test_a_stance_inside_furniture_is_refused(session: Session, kitchen17: Kitchen) -> None:
    island = next(f for f in kitchen17.fixtures if "island" in f.name and f.kind == "Counter").box
    with pytest.raises(SkillFailed) as failure:
        for action in travel(session, (island.centre[0], island.centre[1], 0.0)):
            session.world.tick(action)
    assert failure.value.reason == Reason.UNREACHABLE


def test_steps_aside_without_turning_and_ends_with_the_hand_drawn_in(session: Session) -> None:
    position, rotation = base_frame(session.world)
    aside = position + 0.3 * rotation[:, 1]
    yaw = base_yaw(session.world)
    assert 0.29 < way_to(session, (*aside[:2], yaw)) < 0.6
    depths = Depths(session.world)
    for count, action in enumerate(travel(session, (*aside[:2], yaw))):
        session.world.tick(action)
        depths(2 * count, session.world)
        assert abs(base_yaw(session.world) - yaw) < 0.1
    position, rotation = base_frame(session.world)
    assert np.linalg.norm(position[:2] - aside[:2]) < 0.02
    ahead, _, up = rotation.T @ (gripper_frame(session.world)[0] - position)
    assert ahead < 0.36 and up > 0.38
    assert depths.kitchen.metres == 0.0, depths.kitchen


def test_a_sidestep_keeps_the_hand_where_it_is_but_over_what_stands_open(session: Session) -> None:
    position, base = base_frame(session.world)
    at, _ = gripper_frame(session.world)
    x, y = position[:2] + 0.15 * base[:2, 1]
    height = float(at[2]) + 0.05
    for action in sidestep(session, (float(x), float(y), base_yaw(session.world)), height):
        session.world.tick(action)
    moved, _ = base_frame(session.world)
    hand, _ = gripper_frame(session.world)
    assert np.linalg.norm(moved[:2] - [x, y]) < 0.02
    assert hand[2] == pytest.approx(height, abs=0.03)
    assert np.linalg.norm(hand[:2] - at[:2] - 0.15 * base[:2, 1]) < 0.04, "it is not drawn in"
