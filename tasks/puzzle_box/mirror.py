"""Left for right: the mirror image of what makes up a box (an x+ box becomes an x- box)."""

from __future__ import annotations

from dataclasses import replace

from .geometry import Rect, Vec2
from .parts import Part


def flip(point: Vec2) -> Vec2:
    """The point on the other side of the box's middle line."""
    return -point[0] + 0.0, point[1]


def flip_rect(rect: Rect) -> Rect:
    return Rect(-rect.x1 + 0.0, rect.y0, -rect.x0 + 0.0, rect.y1)


def flip_part(part: Part) -> Part:
    notch = None if part.notch is None else replace(part.notch, side=-part.notch.side)
    rod = None if part.rod is None else flip_rect(part.rod)
    return replace(part, axis=flip(part.axis), tip=flip(part.tip), notch=notch, rod=rod)
