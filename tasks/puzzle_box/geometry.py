"""Plan geometry of the puzzle box: rectangles along the box axes.

Every slider runs along x or y of the box frame, so what it sweeps, and the path of its handle, is a rectangle (a
path is a rectangle without width). Metres, box frame: origin at the chest centre on the work surface, +x along the
surface front, +y away from the robot, z up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

Vec2 = tuple[float, float]


def rounded(value: float) -> float:
    """Coordinates are kept to 10 micrometres, so that mirrored and re-read structures compare equal."""
    return round(float(value), 5) + 0.0


def along(start: Vec2, direction: Vec2, distance: float) -> Vec2:
    """The point `distance` metres from `start` in `direction`."""
    return round(start[0] + direction[0] * distance, 5), round(start[1] + direction[1] * distance, 5)


def left_of(direction: Vec2) -> Vec2:
    """`direction` turned by +90 degrees."""
    return -direction[1] + 0.0, direction[0]


@dataclass(frozen=True)
class Rect:
    """Axis-aligned rectangle [x0, x1] x [y0, y1]; it may have no width."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, points: Iterable[Vec2], margin: float = 0.0) -> Rect:
        """The smallest rectangle that holds all points, grown by `margin` on every side."""
        xs, ys = zip(*points, strict=True)
        return cls(min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin)

    @classmethod
    def centred(cls, centre: Vec2, half: Vec2) -> Rect:
        return cls.around([along(centre, half, 1.0), along(centre, half, -1.0)])

    @property
    def centre(self) -> Vec2:
        return (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2

    @property
    def half(self) -> Vec2:
        return (self.x1 - self.x0) / 2, (self.y1 - self.y0) / 2

    @property
    def corners(self) -> tuple[Vec2, Vec2]:
        """Lower left and upper right corner."""
        return (self.x0, self.y0), (self.x1, self.y1)

    def grown(self, margin: float) -> Rect:
        return Rect(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)

    def distance(self, other: Rect) -> float:
        """Shortest distance between two rectangles; 0 where they touch or overlap."""
        dx = max(other.x0 - self.x1, self.x0 - other.x1, 0.0)
        dy = max(other.y0 - self.y1, self.y0 - other.y1, 0.0)
        return hypot(dx, dy)

    def overlaps(self, other: Rect) -> bool:
        return self.x0 < other.x1 and other.x0 < self.x1 and self.y0 < other.y1 and other.y0 < self.y1

    def holds(self, other: Rect) -> bool:
        inside_x = self.x0 <= other.x0 and other.x1 <= self.x1
        return inside_x and self.y0 <= other.y0 and other.y1 <= self.y1


def without(rect: Rect, hole: Rect) -> tuple[Rect, ...]:
    """`rect` minus `hole`, as up to four rectangles."""
    if not rect.overlaps(hole):
        return (rect,)
    strips = (
        Rect(rect.x0, rect.y0, max(rect.x0, hole.x0), rect.y1),
        Rect(min(rect.x1, hole.x1), rect.y0, rect.x1, rect.y1),
        Rect(max(rect.x0, hole.x0), rect.y0, min(rect.x1, hole.x1), max(rect.y0, hole.y0)),
        Rect(max(rect.x0, hole.x0), min(rect.y1, hole.y1), min(rect.x1, hole.x1), rect.y1),
    )
    return tuple(s for s in strips if s.x1 - s.x0 > 1e-6 and s.y1 - s.y0 > 1e-6)


def bounds(rects: Iterable[Rect], margin: float = 0.0) -> Rect:
    """The smallest rectangle around `rects`, grown by `margin`."""
    return Rect.around([corner for rect in rects for corner in rect.corners], margin)
