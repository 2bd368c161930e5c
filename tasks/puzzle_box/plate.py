"""The plate that hides engagements: which run it covers, its shape, its pillars.

The plate lies 4 mm above the sliders and is a union of rectangles that follows the chain, so that it hides
consecutive engagements without reaching a handle. Two to four pillars between the sweeps carry it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from .geometry import Rect, Vec2, bounds, without
from .parts import ENGAGED_LID, NOTCH_LENGTH, PLATE_HANDLE_CLEARANCE, Cover, Lid, Part, item_slot

# A hidden tip is at least this far from the plate's edge: the scene cameras look down at 45 degrees or steeper and the
# plate's top is 10 mm above the sliders.
SHADE = 0.015
CUT = 0.020  # a twin's tip ends this much earlier (see structure.twin)
SHADE_LID = 0.008  # towards the item slot, where there is no room for more
PILLAR_HALF = 0.004
PILLARS = (2, 4)
PARTIAL = 3  # the benchmark hides 4 at chain 6, which would make partial and full the same
FULL = 4  # or the whole chain where that is shorter


def covered_run(rng: np.random.Generator, chain: int, cover: Cover) -> range:
    """Numbers of the engagements to hide; k is the notch of bolt k, 0 that of the lid."""
    if cover == "none":
        return range(0)
    count = PARTIAL if cover == "partial" else min(chain, FULL)
    start = int(rng.integers(chain - count + 1))
    return range(start, start + count)


def zone(blocker: Part) -> Rect:
    """What the plate must shade so that nobody sees whether `blocker` reaches into what it blocks."""
    first = blocker.chain == 1
    start, stop = -(SHADE_LID if first else SHADE), (ENGAGED_LID if first else CUT) + SHADE
    across = NOTCH_LENGTH / 2 + SHADE
    return Rect.around([blocker.at(start, -across), blocker.at(stop, across)])


def cover_with_plate(lid: Lid, bolts: tuple[Part, ...], covered: range) -> tuple[Rect, ...] | None:
    """Rectangles of a plate over those of `covered` that `bolts` make; None if it is in a hand's way."""
    zones = [zone(bolts[k]) for k in covered if k < len(bolts)]
    pairs = [bounds(pair) for pair in pairwise(zones)]
    rects = tuple(pairs or zones)
    paths = [lid.handle_path, *(bolt.handle_path for bolt in bolts)]
    slot = item_slot(lid.direction)
    for rect in rects:
        if rect.overlaps(slot) or any(rect.distance(path) < PLATE_HANDLE_CLEARANCE for path in paths):
            return None
    return _disjoint(rects)


def _disjoint(rects: tuple[Rect, ...]) -> tuple[Rect, ...]:
    """The same area without overlaps, which would flicker in pictures."""
    found: list[Rect] = []
    for rect in rects:
        pieces = [rect]
        for earlier in found:
            pieces = [p for piece in pieces for p in without(piece, earlier)]
        found += pieces
    return tuple(found)


def place_pillars(rects: tuple[Rect, ...], swept: list[Rect]) -> tuple[Vec2, ...] | None:
    """Two to four well spread spots under the plate that no slider reaches, or None."""
    free = [p for rect in rects for p in _grid(rect) if not _hits(p, swept)]
    if not free:
        return None
    centre = bounds(rects).centre
    chosen = [max(free, key=lambda p: np.hypot(p[0] - centre[0], p[1] - centre[1]))]
    while len(chosen) < PILLARS[1]:
        gaps = [min(np.hypot(p[0] - q[0], p[1] - q[1]) for q in chosen) for p in free]
        best = int(np.argmax(gaps))
        if gaps[best] < 6 * PILLAR_HALF:
            break
        chosen.append(free[best])
    return tuple(chosen) if len(chosen) >= PILLARS[0] else None


def _grid(rect: Rect) -> Iterator[Vec2]:
    inner = rect.grown(-PILLAR_HALF - 0.002)
    for x in np.arange(inner.x0, inner.x1 + 1e-9, 0.006):
        for y in np.arange(inner.y0, inner.y1 + 1e-9, 0.006):
            yield round(float(x), 5), round(float(y), 5)


def _hits(spot: Vec2, swept: list[Rect]) -> bool:
    half = PILLAR_HALF + 0.002
    foot = Rect.centred(spot, (half, half))
    return any(foot.overlaps(rect) for rect in swept)
