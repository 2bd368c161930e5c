"""The little English that captions need: plurals, numbers, directions."""

from __future__ import annotations

from math import atan2, degrees, hypot

from annotate.errors import TermError

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")

_IRREGULAR = {"shelf": "shelves", "knife": "knives", "loaf": "loaves", "tomato": "tomatoes", "potato": "potatoes"}
CARDINAL_HALF_WIDTH = 30.0
"""Degrees to either side of an axis that still count as along it; the diagonals have what is between."""


def plural(noun: str) -> str:
    """ "puzzle box" -> "puzzle boxes"."""
    first, _, last = noun.rpartition(" ")
    if last in _IRREGULAR:
        last = _IRREGULAR[last]
    elif last.endswith(("s", "x", "ch", "sh")):
        last += "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = last[:-1] + "ies"
    else:
        last += "s"
    return f"{first} {last}".strip()


def direction(vector: tuple[float, float]) -> str:
    """How something moves, as the robot sees it: "towards you", "to the left", "away from you and to the right".

    Args:
        vector: (x ahead, y left), any length but none.

    Raises:
        TermError: the vector has no length.
    """
    return _compass(vector, "away from you", "towards you")


def heading(vector: tuple[float, float]) -> str:
    """How the robot itself moves: "forward", "back", "to the left", "back and to the right"."""
    return _compass(vector, "forward", "back")


def _compass(vector: tuple[float, float], ahead: str, behind: str) -> str:
    x, y = vector
    if not hypot(x, y) > 0.0:
        raise TermError(f"{vector} is no direction")
    along, across = (ahead if x > 0 else behind), ("to the left" if y > 0 else "to the right")
    off = degrees(atan2(abs(y), abs(x)))
    if off <= CARDINAL_HALF_WIDTH:
        return along
    if off >= 90.0 - CARDINAL_HALF_WIDTH:
        return across
    return f"{along} and {across}"
