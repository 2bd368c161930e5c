"""Where a piece of furniture is, in the words of someone who stands before it: "left of the stove", "in the island"."""

from __future__ import annotations

import numpy as np

from sim.kitchen import Box, Kitchen

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
UNDER = 0.12
"""Furniture whose middle is this near to the landmark's, m, is under it or beside it, not left or right of it."""


def whereabouts(kitchen: Kitchen, box: Box, outward: np.ndarray, name: str) -> str:
    """Which landmark something is next to, and on which side; "" if none is near.

    Args:
        box: the furniture. outward: direction (2,) from it to who stands before it. name: its fixture.
    """
    if "island" in name:
        return "in the island"
    right = np.array([-outward[1], outward[0]])
    best, words = NEAR, ""
    for fixture in kitchen.fixtures:
        noun = next((noun for start, noun in LANDMARKS.items() if fixture.kind.startswith(start)), None)
        if noun is None or fixture.name == name or "accessory" in fixture.kind.lower():
            continue
        offset = np.array(fixture.box.centre[:2]) - np.array(box.centre[:2])
        side, depth = float(offset @ right), float(offset @ outward)
        half = _half(box, right) + _half(fixture.box, right)
        gap = max(abs(side) - half, 0.0)
        if abs(depth) > SAME_FRONT or gap >= best:
            continue
        if abs(side) < UNDER:
            if fixture.box.bottom < box.top - 0.3:
                continue
            words = f"under the {noun}"
        else:
            words = f"{'left' if side > 0 else 'right'} of the {noun}"
        best = gap
    return words


def _half(box: Box, axis: np.ndarray) -> float:
    return float((np.abs((box.corners() - np.array(box.centre[:2])) @ axis)).max())
