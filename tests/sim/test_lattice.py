"""Ways over the floor for a base with a heading."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sim.floor import FloorMap, free_floor
from sim.lattice import PIVOT, Lattice, NoRoute, Pose

WALL = 0.1


def box(x: float, y: float, half_x: float, half_y: float, tall: bool = False) -> tuple[np.ndarray, bool]:
    return np.array([(x + a * half_x, y + b * half_y) for a in (-1, 1) for b in (-1, 1)]), tall


def room(*furniture: tuple[np.ndarray, bool]) -> FloorMap:
    """Six metres square, between walls."""
    sides = ((3, 0), (-3, 0), (0, 3), (0, -3))
    walls = [box(x, y, WALL + abs(y), WALL + abs(x), True) for x, y in sides]
    return free_floor([*walls, *furniture])


def turns(way: list[Pose]) -> list[float]:
    return [(b[2] - a[2] + np.pi) % (2 * np.pi) - np.pi for a, b in itertools.pairwise(way)]


def footprint(pose: Pose) -> np.ndarray:
    """Points (n, 2) of the base at a pose of its frame: 0.15 ahead, 0.55 behind, 0.25 to either side."""
    x, y = np.meshgrid(np.linspace(-0.55, 0.15, 15), np.linspace(-0.25, 0.25, 11))
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.column_stack([pose[0] + c * x.ravel() - s * y.ravel(), pose[1] + s * x.ravel() + c * y.ravel()])


def test_drives_forward_where_there_is_room() -> None:
    way = room().lattice.route([(-2.0, 0.0, 0.0)], [(2.0, 0.0, 0.0)])
    assert len(way) == 2 and turns(way) == [0.0]
    way = room().lattice.route([(-2.0, 0.0, np.pi / 2)], [(2.0, 0.0, np.pi / 2)])
    assert any(pose[2] == 0.0 for pose in way), "it turns to face the way"


def test_the_base_touches_nothing_and_turns_about_its_pivot() -> None:
    way = room(box(0, 0, 1.0, 0.4)).lattice.route([(0.0, -1.4, 0.0)], [(0.0, 1.4, 0.0)])
    for a, b in itertools.pairwise(way):
        pivots = [np.array(p[:2]) - PIVOT * np.array([np.cos(p[2]), np.sin(p[2])]) for p in (a, b)]
        turned = (b[2] - a[2] + np.pi) % (2 * np.pi) - np.pi
        assert np.allclose(*pivots) == bool(turned), "turn in place or drive straight"
        for t in np.linspace(0, 1, 40):
            yaw = a[2] + t * turned
            x, y = pivots[0] + t * (pivots[1] - pivots[0]) + PIVOT * np.array([np.cos(yaw), np.sin(yaw)])
            points = np.abs(footprint((x, y, yaw)))
            assert not ((points[:, 0] < 1.0) & (points[:, 1] < 0.4)).any()
            assert points.max() < 3.0 - WALL


def test_goes_sideways_into_an_aisle_too_narrow_for_turning() -> None:
    aisle = (box(1.5, 1.75, 1.4, 1.33), box(1.5, -1.75, 1.4, 1.33))
    floor = room(*aisle)
    assert not floor.can_turn(np.array([1.5, 0.0]))
    way = floor.lattice.route([(-2.0, 0.0, 0.0)], [(1.5, PIVOT, np.pi / 2)])
    assert way[-1][2] == way[-2][2] == np.pi / 2 and way[-2][0] < 0.5


def test_a_carried_hand_keeps_out_of_tall_furniture_only() -> None:
    over = (0.0, 0.0, 0.0)
    assert room(box(0.6, 0, 0.35, 1.0)).lattice.stands(over)
    assert not room(box(0.6, 0, 0.35, 1.0, True)).lattice.stands(over)


def test_no_way_is_said_so() -> None:
    lattice = Lattice(room(box(0, 0, 3.0, 0.4)))
    with pytest.raises(NoRoute, match="not connected"):
        lattice.route([(0.0, -1.5, 0.0)], [(0.0, 1.5, 0.0)])
    with pytest.raises(NoRoute, match="at the end"):
        lattice.route([(0.0, -1.5, 0.0)], [(0.0, 0.0, 0.0)])
    with pytest.raises(NoRoute, match="at the start"):
        lattice.route([(50.0, 0.0, 0.0)], [(0.0, 1.5, 0.0)])
