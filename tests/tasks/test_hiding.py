"""Hiding places: what the cameras may show, where things fit, how furniture is named, what is found in a kitchen."""

from __future__ import annotations

import numpy as np
import pytest

from sim.camera import MUJOCO_CAMERAS
from sim.kitchen import Box, Fixture, Kitchen, KitchenId
from sim.surface import Spot, find_spots, overlap
from sim.world import World
from tasks.hiding.find import FARTHEST, SMALL, TURNING, Ground, Plan
from tasks.hiding.naming import whereabouts
from tasks.hiding.place import COVERED, DOOR, DRAWER, OPEN, Place
from tasks.hiding.section import LONGEST, Section, sections
from tasks.hiding.views import AGENT_CAMERAS, START_CAMERAS, may_show, shows
from tasks.props.pool import PoolObject

pytestmark = pytest.mark.xdist_group("kitchen17")


@pytest.fixture(scope="module")
def ground(kitchen17: Kitchen) -> Ground:
    """Layout 17 with the robot at its first work top."""
    return Ground(Plan(kitchen17), find_spots(kitchen17, (0.66, 0.42), 0.30)[0])


def test_the_cameras_are_those_of_the_robot(bench_world: World) -> None:
    bench_world.reset()
    model, data = bench_world.model, bench_world.judged()
    site = bench_world.ids.base_site
    at, turn = data.site_xpos[site] * [1, 1, 0], data.site_xmat[site].reshape(3, 3)
    for name, (position, rotation, fovy) in zip(
        ("agentview_left", "agentview_right", "wrist"), START_CAMERAS, strict=True
    ):
        camera = model.camera(MUJOCO_CAMERAS[name]).id
        np.testing.assert_allclose(turn.T @ (data.cam_xpos[camera] - at), position, atol=0.004)
        np.testing.assert_allclose(turn.T @ data.cam_xmat[camera].reshape(3, 3), rotation, atol=0.004)
        assert model.cam_fovy[camera] == pytest.approx(fovy)


def test_what_is_before_the_robot_shows_and_what_is_behind_does_not() -> None:
    stance = (2.0, 1.0, np.pi / 2)
    assert may_show(stance, np.array([2.0, 1.6, 0.95]), 0.05)
    assert not may_show(stance, np.array([2.0, 0.0, 0.95]), 0.05)
    assert not may_show(stance, np.array([0.0, 1.0, 0.95]), 0.05)
    assert shows(stance, np.array([2.0, 1.6, 0.95]), AGENT_CAMERAS) == pytest.approx(1.41, abs=0.05)
    assert shows(stance, np.array([2.0, 0.0, 0.95])) == np.inf


def test_a_ball_shows_before_its_middle_does() -> None:
    stance = (0.0, 0.0, 0.0)
    line = [np.array([1.0, y, 0.95]) for y in np.linspace(0, 3, 120)]
    last = max(point[1] for point in line if shows(stance, point) < np.inf)
    beyond = np.array([1.0, last + 0.15, 0.95])
    assert shows(stance, beyond) == np.inf
    assert may_show(stance, beyond, 0.2)
    assert not may_show(stance, beyond + [0, 1.0, 0], 0.2)


@pytest.mark.parametrize(
    ("kind", "height", "thing", "fits"),
    [
        (DRAWER, 0.14, ("can", "red"), True),
        (DRAWER, 0.12, ("can", "red"), False),
        (DRAWER, 0.30, ("bottle", "blue"), False),
        (DOOR, 0.24, ("bottle", "blue"), True),
        (DOOR, 0.24, ("mug", "blue"), False),
        (COVERED, 1.0, ("mug", "red"), True),
        (COVERED, 1.0, ("bottle", "blue"), False),
        (OPEN, 1.0, ("bottle", "blue"), True),
    ],
)
def test_what_a_place_takes(kind: str, height: float, thing: tuple[str, str], fits: bool) -> None:
    place = Place("p", kind, "f", 0, (0.0, 0.0, 0.5), 0.0, height)
    assert place.takes(PoolObject(*thing)) is fits
    assert Place.from_json(place.to_json()) == place


def spot(x: float) -> Spot:
    return Spot("counter", (x, 0.0, 0.92), 0.0, SMALL, (x, -0.4, np.pi / 2))


def test_sections_are_runs_of_spots_of_bounded_length() -> None:
    near, far = [spot(0.1 * k) for k in range(8)], [spot(3.0 + 0.1 * k) for k in range(30)]
    found = sections([*far, *near])
    assert [s.name for s in found] == [f"counter_{k}" for k in range(len(found))]
    assert found[0].half == pytest.approx(0.35 + 0.12)
    assert found[0].outward == pytest.approx(-np.pi / 2)
    assert all(2 * s.half <= LONGEST + SMALL[0] + 1e-9 for s in found)
    covered = [any(abs(s.middle[0] - p.origin[0]) <= s.half for s in found) for p in (*near, *far)]
    assert all(covered)
    assert Section.from_json(found[0].to_json()) == found[0]


def fixture(name: str, kind: str, x: float, y: float = 0.0, z: float = 0.5) -> Fixture:
    return Fixture(name, kind, Box((x, y, z), (0.3, 0.3, 0.4), 0.0), {})


def test_furniture_is_named_by_its_neighbour_as_seen_from_in_front() -> None:
    box, towards = fixture("drawer", "Drawer", 0.0).box, np.array([0.0, -1.0])

    def named(*others: Fixture) -> str:
        return whereabouts(Kitchen(KitchenId(17, 3), "", others), box, towards, "drawer")

    assert named(fixture("s", "Stovetop", 0.7)) == "left of the stove"
    assert named(fixture("s", "Sink", -0.7)) == "right of the sink"
    assert named(fixture("s", "Sink", 0.0, z=1.2)) == "under the sink"
    assert named(fixture("s", "Stovetop", 3.0)) == ""
    assert named(fixture("s", "Stovetop", 0.7, y=-2.0)) == "", "on the other side of the aisle"
    assert named(fixture("s", "Stovetop", 0.9), fixture("f", "FridgeBottomFreezer", -0.7)) == "right of the fridge"
    across = Kitchen(KitchenId(17, 3), "", (fixture("s", "Stovetop", 0.1, y=-2.0), fixture("f", "Fridge", 1.0, y=-2.0)))
    assert whereabouts(across, box, towards, "stack_island_1") == "across from the stove"
    assert whereabouts(across, box, -towards, "stack_island_1") == ""


def test_what_opens_does_not_stand_in_the_way_at_the_work_top(ground: Ground) -> None:
    found = ground.compartments()
    assert len(found) >= 8
    assert {place.kind for _, places in found for place in places} == {DRAWER, DOOR}
    x, y, yaw = ground.work.base
    for openable, places in found:
        face = np.array(openable.box.centre[:2]) + 0.45 * openable.outward
        ahead = np.array([np.cos(yaw), np.sin(yaw)]) @ (face - (x, y))
        aside = abs(np.array([-np.sin(yaw), np.cos(yaw)]) @ (face - (x, y)))
        assert aside > 0.25 or ahead > 0.4 or ahead < -0.6
        for place in places:
            assert place.name == openable.fixture
            assert openable.box.bottom < place.point[2] < openable.box.top


def test_counter_spots_keep_clear_of_the_work_patch(ground: Ground) -> None:
    work = Box(ground.work.origin, (0.33, 0.21, 1.0), ground.work.yaw)
    found = ground.small_spots
    assert len(found) > 10
    assert not any(overlap(Box(s.origin, (0.12, 0.12, 1.0), s.yaw), work) for s in found)


def test_what_cannot_be_driven_to_is_not_found(ground: Ground) -> None:
    outside = np.array([-5.0, -5.0])
    assert not ground.reachable(outside, np.array([0.0, 1.0]))


def test_nothing_is_hidden_further_away_than_a_minute_of_carrying(ground: Ground) -> None:
    start = np.array(ground.work.base[:2])
    fronts = [np.array(openable.box.centre[:2]) for openable, _ in ground.compartments()]
    spots = [np.array(spot.origin[:2]) for spot in ground.small_spots]
    apart = [float(np.abs(point - start).max()) for point in fronts + spots]
    assert max(apart) < FARTHEST + TURNING[1] + 0.6
    assert len(apart) < len(ground.plan.openables) + len(ground.plan.small_spots)
