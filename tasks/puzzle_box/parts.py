"""The plain data of a puzzle box: what slides, along which line, and what stands in its way.

A slider (bolt or decoy) is a flat bar. `axis` is its pull direction: from the tip towards the end that carries the
handle, so the free direction is visible in the scene: *pull a bar by its handle end, away from its middle*. Lengths
along a bar are measured from its tip at rest. All figures are from the benchmark's puzzle box (reference section
8.9) unless a comment says otherwise. Metres, box frame (see geometry.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Literal

from .geometry import Rect, Vec2, along, left_of

HALF_WIDTH = 0.015
SLIDER_Z = (0.076, 0.088)  # bars and lid share this layer, 1 mm above the deck
DECK_TOP = 0.075
TRAVEL = 0.05
DECOY_TRAVEL = (-0.05, 0.05)
ENGAGED = 0.013
ENGAGED_LID = 0.026
RELEASED_AT = 0.02
RELEASED_AT_LID = 0.03
# 38 and not 40 mm: with 40 the play is 5.0 mm and a 12 N pull adds the contact's give.
NOTCH_LENGTH = 0.038
NOTCH_DEPTH = HALF_WIDTH
NOTCH_DEPTH_LID = 0.028
TIP_LENGTH = 0.030
TIP_LENGTH_LID = 0.036  # a notch starts 37 mm from the tip at the earliest
POST_RADIUS = 0.013
POST_HEIGHT = 0.06
GRASP_HEIGHT = 0.044  # of the hand's grip site up the post
HANDLE_INSET = 0.016  # handle axis from the bar's end

# 2 mm shorter than the benchmark: at `open_at` the trailing edge must clear the hand over the item.
LID_HALF = (0.118, 0.08)
LID_TRAVEL = {"x+": 0.20, "x-": 0.20, "y+": 0.14}
LID_OPEN_MARGIN = 0.02
LID_AXIS = {"x+": (1.0, 0.0), "x-": (-1.0, 0.0), "y+": (0.0, 1.0)}
CAVITY_HALF = (0.11, 0.07)
ITEM_XY = {"x+": (-0.045, 0.0), "x-": (0.045, 0.0), "y+": (0.0, -0.035)}
ITEM_SLOT_HALF = (0.106, 0.045)  # the hand's housing around the item, finger axis along x

PLATE_Z = (0.092, 0.098)
PLATE_HANDLE_CLEARANCE = 0.053
HANDLE_CLEARANCE = 0.072
ROD_Z = (0.0885, 0.0915)
ROD_HALF_WIDTH = 0.004
ROD_CLEARANCE = 0.007

Cover = Literal["none", "partial", "full"]
Kind = Literal["bolt", "decoy", "relock"]


@cache
def item_slot(direction: str) -> Rect:
    """What the hand's housing needs free around the item (it comes down to the sliders' height)."""
    return Rect.centred(ITEM_XY[direction], ITEM_SLOT_HALF)


@dataclass(frozen=True)
class Notch:
    """A cut in one side of a slider: centre `offset` along it, on side +1 (left of the pull direction) or -1."""

    offset: float
    side: int
    length: float = NOTCH_LENGTH
    depth: float = NOTCH_DEPTH


@dataclass(frozen=True)
class Part:
    """A bolt or a decoy. `kind` and `chain` are hidden truth; all else is what a camera could see.

    `chain` is k for bolt k (bolt 1 blocks the lid) and 0 for a decoy. `rod` is a relock decoy's push rod at rest.
    """

    name: str
    axis: Vec2
    tip: Vec2
    length: float
    tip_length: float
    travel: tuple[float, float]
    notch: Notch | None
    kind: Kind
    chain: int
    rod: Rect | None = None

    @cached_property
    def handle(self) -> Vec2:
        """Handle axis at rest."""
        return self.at(self.length - HANDLE_INSET)

    @property
    def released_at(self) -> float:
        """Joint position (m) from which the tip is out of what it blocks; for a decoy, its free travel."""
        if self.kind == "bolt":
            return RELEASED_AT_LID if self.chain == 1 else RELEASED_AT
        return RELEASED_AT

    def at(self, distance: float, across: float = 0.0) -> Vec2:
        """Point `distance` from the tip along the bar and `across` to the left of its axis."""
        return along(along(self.tip, self.axis, distance), left_of(self.axis), across)

    def bar(self, start: float = 0.0, stop: float | None = None) -> Rect:
        """Plan rectangle of the bar between two distances from its tip, at rest."""
        stop = self.length if stop is None else stop
        return Rect.around([self.at(start, -HALF_WIDTH), self.at(stop, HALF_WIDTH)])

    @cached_property
    def sweep(self) -> Rect:
        """Everything the bar covers over its whole travel."""
        low, high = self.travel
        return self.bar(low, self.length + high)

    @cached_property
    def handle_path(self) -> Rect:
        low, high = self.travel
        return Rect.around([along(self.handle, self.axis, low), along(self.handle, self.axis, high)])

    @cached_property
    def rod_sweep(self) -> Rect | None:
        if self.rod is None:
            return None
        ends = [along(c, self.axis, q) for c in self.rod.corners for q in self.travel]
        return Rect.around(ends)


@dataclass(frozen=True)
class Lid:
    """The sliding lid over the cavity. `axis` is the way it opens; its notch takes the tip of bolt 1.

    `notch` is the cut's plan rectangle at rest.
    """

    direction: str
    axis: Vec2
    travel: float
    notch: Rect
    handle: Vec2

    @property
    def open_at(self) -> float:
        """Joint position (m) from which the lid counts as open."""
        return self.travel - LID_OPEN_MARGIN

    def body(self, q: float = 0.0) -> Rect:
        return Rect.centred(along((0.0, 0.0), self.axis, q), LID_HALF)

    @cached_property
    def sweep(self) -> Rect:
        return Rect.around([*self.body().corners, *self.body(self.travel).corners])

    @cached_property
    def handle_path(self) -> Rect:
        return Rect.around([self.handle, along(self.handle, self.axis, self.travel)])


@dataclass(frozen=True)
class Engagement:
    """The tip of `blocker` sits in a notch of `blocked` at `xy`; public unless `covered` by the plate."""

    blocker: str
    blocked: str
    xy: Vec2
    covered: bool


@dataclass(frozen=True)
class Appearance:
    """Colours, RGB in [0, 1]."""

    wall: tuple[float, float, float] = (0.45, 0.28, 0.15)
    deck: tuple[float, float, float] = (0.72, 0.53, 0.33)
    lid: tuple[float, float, float] = (0.55, 0.24, 0.12)
    bar: tuple[float, float, float] = (0.62, 0.64, 0.67)
    tip: tuple[float, float, float] = (0.83, 0.65, 0.25)
    plate: tuple[float, float, float] = (0.20, 0.17, 0.15)
