"""Where furniture is, as who stands before it would say: "left of the stove", "across from the sink"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.kitchen import Box, Fixture, Kitchen

LANDMARKS = {
    "Stove": "stove",
    "Sink": "sink",
    "Fridge": "fridge",
    "Window": "window",
    "Oven": "oven",
    "Dishwasher": "dishwasher",
}
"""Beginnings of RoboCasa's fixture classes, and what people call them."""
NEAR = 1.2
"""Largest gap, m, between furniture and the landmark that it is named by."""
SAME_FRONT = 0.8
"""A landmark is at the same front if it is at most this far behind or before it, m."""
AISLE = (1.0, 4.0)
"""From and to how far across from an island's front a landmark is, m."""
UNDER = 0.12
"""Furniture whose middle is this near to the landmark's, m, is under it or beside it, not left or right of it."""


def whereabouts(kitchen: Kitchen, box: Box, outward: np.ndarray, name: str) -> str:
    """Which landmark something is next to, and on which side; in an island, across from which; "" if none is near.

    Args:
        box: the furniture. outward: direction (2,) from it to who stands before it. name: its fixture.
    """
    return _across(kitchen, box, outward) if is_island(name) else _beside(kitchen, box, outward, name)


def is_island(name: str) -> bool:
    """Whether a fixture belongs to an island."""
    return "island" in name


def _across(kitchen: Kitchen, box: Box, outward: np.ndarray) -> str:
    """ "across from the stove", for furniture that stands free: what is on the other side of the aisle before it."""
    found = []
    for noun, fixture in _landmarks(kitchen):
        side, depth = _offset(box, fixture.box, outward)
        if AISLE[0] <= depth <= AISLE[1] and abs(side) <= _half(fixture.box, outward[::-1] * [-1, 1]):
            found.append((depth, f"across from the {noun}"))
    return min(found, default=(0.0, ""))[1]


def _beside(kitchen: Kitchen, box: Box, outward: np.ndarray, name: str) -> str:
    best, words = NEAR, ""
    for noun, fixture in _landmarks(kitchen):
        side, depth = _offset(box, fixture.box, outward)
        right = outward[::-1] * [-1, 1]
        gap = max(abs(side) - _half(box, right) - _half(fixture.box, right), 0.0)
        if fixture.name == name or abs(depth) > SAME_FRONT or gap >= best:
            continue
        if abs(side) >= UNDER:
            words, best = f"{'left' if side > 0 else 'right'} of the {noun}", gap
        elif fixture.box.bottom >= box.top - 0.3:
            words, best = f"under the {noun}", gap
    return words


def _landmarks(kitchen: Kitchen) -> Iterator[tuple[str, Fixture]]:
    for fixture in kitchen.fixtures:
        noun = next((noun for start, noun in LANDMARKS.items() if fixture.kind.startswith(start)), None)
        if noun is not None and "accessory" not in fixture.kind.lower():
            yield noun, fixture


def _offset(box: Box, other: Box, outward: np.ndarray) -> tuple[float, float]:
    """How far another box is to the right of one, and before it, m, as seen from in front."""
    apart = np.array(other.centre[:2]) - np.array(box.centre[:2])
    return float(apart @ [-outward[1], outward[0]]), float(apart @ outward)


def _half(box: Box, axis: np.ndarray) -> float:
    return float((np.abs((box.corners() - np.array(box.centre[:2])) @ axis)).max())
