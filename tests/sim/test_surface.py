"""Work patches: free of decor, with free floor for the robot, found in a fixed order."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.kitchen import Box, Fixture, Kitchen, KitchenId
from sim.model import begin_model
from sim.surface import BASE_DEPTH, BASE_HALF_WIDTH, HEADROOM, OVERHANG, STANDOFF, Spot, find_spots, overlap

SIZE, REACH_X = (1.30, 0.66), 0.50
in_kitchen = pytest.mark.xdist_group("kitchen17")


@pytest.fixture(scope="module")
def spots(kitchen17: Kitchen) -> tuple[Spot, ...]:
    return find_spots(kitchen17, SIZE, REACH_X)


@pytest.fixture(scope="module")
def rays(kitchen17: Kitchen, roots: AssetRoots) -> Rays:
    return Rays(begin_model(kitchen17, roots, (100.0, 100.0, 0.0)).compile())


class Rays:
    """The kitchen as straight lines see it, with the robot out of the way."""

    def __init__(self, model: mujoco.MjModel) -> None:
        self.model, self.data = model, mujoco.MjData(model)
        mujoco.mj_kinematics(model, self.data)

    def down(self, x: float, y: float, z: float) -> float:
        """Height of whatever lies straight below a point."""
        distance = mujoco.mj_ray(
            self.model, self.data, np.array([x, y, z]), np.array([0.0, 0, -1]), None, 1, -1, np.zeros(1, np.int32)
        )
        return z - distance if distance >= 0 else -np.inf


def in_spot(spot: Spot, x: float, y: float) -> np.ndarray:
    c, s = np.cos(spot.yaw), np.sin(spot.yaw)
    return np.array([spot.origin[0] + c * x - s * y, spot.origin[1] + s * x + c * y])


@in_kitchen
def test_there_is_room_on_the_island(spots: tuple[Spot, ...], kitchen17: Kitchen) -> None:
    assert len(spots) >= 3
    assert {spot.size for spot in spots} == {SIZE}
    for spot in spots:
        assert spot.origin[2] == kitchen17.fixture(spot.fixture).box.top


@in_kitchen
def test_nothing_stands_on_or_hangs_over_a_spot(spots: tuple[Spot, ...], rays: Rays) -> None:
    for spot in spots:
        for x in np.linspace(-0.65, 0.65, 27):
            for y in np.linspace(-0.33, 0.33, 14):
                found = rays.down(*in_spot(spot, x, y), spot.origin[2] + HEADROOM - 0.01)
                assert found == pytest.approx(spot.origin[2], abs=0.005), (spot, x, y)


@in_kitchen
def test_the_floor_that_the_robot_uses_is_free(spots: tuple[Spot, ...], rays: Rays) -> None:
    reach = REACH_X + BASE_HALF_WIDTH - 0.01
    for spot in spots:
        near = -SIZE[1] / 2 - 0.03 - OVERHANG - 0.01
        for x in np.linspace(-reach, reach, 18):
            for y in np.linspace(near, near - STANDOFF - BASE_DEPTH, 10):
                assert rays.down(*in_spot(spot, x, y), 1.55) < 0.03, (spot, x, y)


@in_kitchen
def test_the_robot_faces_the_patch(spots: tuple[Spot, ...]) -> None:
    for spot in spots:
        ahead = np.array([np.cos(spot.base[2]), np.sin(spot.base[2])])
        to_patch = np.array(spot.origin[:2]) - spot.base[:2]
        assert ahead[0] * to_patch[1] == pytest.approx(ahead[1] * to_patch[0], abs=1e-9)
        assert ahead @ to_patch == pytest.approx(SIZE[1] / 2 + 0.03 + STANDOFF)
        np.testing.assert_allclose(spot.to_world((0.2, -0.1)), [*in_spot(spot, 0.2, -0.1), spot.origin[2]])


@in_kitchen
def test_the_order_is_fixed(spots: tuple[Spot, ...], kitchen17: Kitchen) -> None:
    assert find_spots(kitchen17, SIZE, REACH_X) == spots
    assert len(set(spots)) == len(spots)


@in_kitchen
def test_a_kitchen_without_room_has_no_spot(small_kitchen: Kitchen) -> None:
    assert find_spots(small_kitchen, SIZE, REACH_X) == ()


ISLAND = Fixture("island", "Counter", Box((0.0, 0.0, 0.46), (0.9, 0.45, 0.46), 0.0), {})


def drawn(*others: Fixture, island: Fixture = ISLAND) -> Kitchen:
    return Kitchen(KitchenId(1, 1), "", (island, *others))


def thing(x: float, y: float, z: float, half: tuple[float, float, float]) -> Fixture:
    return Fixture("thing", "Decor", Box((x, y, z), half, 0.3), {})


def sides(kitchen: Kitchen) -> set[float]:
    return {round(spot.yaw, 3) for spot in find_spots(kitchen, (1.0, 0.5), 0.3)}


def test_an_empty_island_has_room_on_both_long_sides() -> None:
    spots = find_spots(drawn(), (1.0, 0.5), 0.3)
    near = [s for s in spots if s.yaw == 0.0]
    assert sides(drawn()) == {0.0, -3.142}
    np.testing.assert_allclose([s.origin[0] for s in near], np.arange(-4, 5) * 0.1, atol=1e-12)
    np.testing.assert_allclose([s.origin[1] for s in near], -0.45 + 0.03 + 0.25)
    np.testing.assert_allclose([s.base[1] for s in near], -0.45 - STANDOFF)


def test_decor_blocks_the_patches_it_stands_on() -> None:
    vase = thing(-0.55, -0.2, 0.95, (0.05, 0.05, 0.1))
    left = [s.origin[0] for s in find_spots(drawn(vase), (1.0, 0.5), 0.3) if s.yaw == 0.0]
    assert min(left) == pytest.approx(0.1)
    assert sides(drawn(thing(0.0, 0.0, 1.0, (0.8, 0.4, 0.1)))) == set()


def test_a_lamp_above_the_headroom_does_not_block() -> None:
    high = 0.92 + HEADROOM + 0.11
    assert sides(drawn(thing(0.0, 0.0, high, (0.8, 0.4, 0.1)))) == sides(drawn())
    assert sides(drawn(thing(0.0, 0.0, high - 0.02, (0.8, 0.4, 0.1)))) == set()


def test_a_stool_on_the_robots_floor_blocks_that_side() -> None:
    wide = (1.2, 0.15, 0.3)
    assert sides(drawn(Fixture("stools", "Stool", Box((0.0, -0.8, 0.3), wide, 0.0), {}))) == {-3.142}
    assert sides(drawn(Fixture("stools", "Stool", Box((0.0, -2.5, 0.3), wide, 0.0), {}))) == {0.0, -3.142}


def test_handles_under_the_work_top_are_not_in_the_way() -> None:
    drawer = Box((0.0, -0.25, 0.5), (0.4, 0.2 + OVERHANG - 0.01, 0.2), 0.0)
    assert drawer.centre[1] - drawer.half[1] < -0.45
    assert sides(drawn(Fixture("drawer", "Drawer", drawer, {}))) == {0.0, -3.142}
    out = replace(drawer, half=(0.4, 0.2 + OVERHANG + 0.01, 0.2))
    assert sides(drawn(Fixture("drawer", "Drawer", out, {}))) == {-3.142}


@pytest.mark.parametrize("height", [0.25, 0.6])
def test_tables_of_another_height_are_no_work_tops(height: float) -> None:
    low = replace(ISLAND, box=Box((0.0, 0.0, height), (0.9, 0.45, height), 0.0))
    assert find_spots(drawn(island=low), (1.0, 0.5), 0.3) == ()


def test_only_counters_are_work_tops() -> None:
    assert find_spots(drawn(island=replace(ISLAND, kind="Stove")), (1.0, 0.5), 0.3) == ()


def test_a_turned_island_gives_turned_spots() -> None:
    straight = find_spots(drawn(), (1.0, 0.5), 0.3)
    turn = 0.7
    turned = find_spots(drawn(island=replace(ISLAND, box=replace(ISLAND.box, yaw=turn))), (1.0, 0.5), 0.3)
    c, s = np.cos(turn), np.sin(turn)
    assert len(turned) == len(straight)
    for a, b in zip(straight, turned, strict=True):
        np.testing.assert_allclose(np.array([[c, -s], [s, c]]) @ a.origin[:2], b.origin[:2], atol=1e-12)
        assert np.exp(1j * (b.base[2] - a.base[2])) == pytest.approx(np.exp(1j * turn))


def test_overlap_of_known_boxes() -> None:
    square = Box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), 0.0)
    diamond = Box((2.0, 2.0, 9.0), (1.0, 1.0, 1.0), np.pi / 4)
    assert overlap(square, replace(diamond, centre=(1.6, 1.6, 9.0)))
    assert not overlap(square, replace(diamond, centre=(1.8, 1.8, 9.0)))
    assert overlap(square, replace(square, centre=(1.99, 1.99, 0.0)))
    assert not overlap(square, replace(square, centre=(2.0, 0.0, 0.0)))
    assert overlap(square, replace(square, half=(0.1, 0.1, 0.1)))


def test_overlap_agrees_with_points_inside_both() -> None:
    rng = np.random.default_rng(0)
    agreed = {True: 0, False: 0}
    for _ in range(300):
        a, b = (Box((*rng.uniform(-1, 1, 2), 0.0), (*rng.uniform(0.1, 0.8, 2), 1.0), rng.uniform(-4, 4)) for _ in "ab")
        grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 60)] * 2), axis=-1).reshape(-1, 2) * a.half[:2]
        c, s = np.cos(a.yaw), np.sin(a.yaw)
        points = grid @ np.array([[c, s], [-s, c]]) + a.centre[:2]
        c, s = np.cos(b.yaw), np.sin(b.yaw)
        local = (points - b.centre[:2]) @ np.array([[c, -s], [s, c]])
        shared = bool((np.abs(local) <= np.array(b.half[:2])).all(axis=1).any())
        assert overlap(a, b) == overlap(b, a)
        if shared:
            assert overlap(a, b)
        if not overlap(a, b):
            assert not shared
        agreed[overlap(a, b)] += overlap(a, b) == shared
    assert agreed[True] > 80
    assert agreed[False] > 80
