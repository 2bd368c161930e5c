"""Draws the lid and the chain of bolts: a depth-first search over bolt lengths, notch offsets and sides.

Bolt k+1 stands at right angles to bolt k; its tip reaches `ENGAGED` into the side notch of bolt k. So a bolt's pose
follows from the one before, and only (length, notch offset, notch side) is free. The search is drawn for a lid that
opens to x+ or y+; an x- box is the mirror image.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from .geometry import Rect, Vec2, bounds, left_of, rounded
from .parts import (
    ENGAGED,
    ENGAGED_LID,
    HALF_WIDTH,
    HANDLE_CLEARANCE,
    LID_AXIS,
    LID_HALF,
    LID_TRAVEL,
    NOTCH_DEPTH_LID,
    NOTCH_LENGTH,
    POST_RADIUS,
    RELEASED_AT_LID,
    TIP_LENGTH,
    TIP_LENGTH_LID,
    TRAVEL,
    Lid,
    Notch,
    Part,
    item_slot,
)
from .plate import cover_with_plate

GAP = 0.003  # between things that pass each other
NODE_BUDGET = 150  # a restart with another lid slot beats a long search
LENGTHS = tuple(rounded(v) for v in np.arange(0.10, 0.2001, 0.01))
NOTCH_FROM_TIP = 0.056  # the notch stays clear of the bolt's own tip and of what that tip sits in
NOTCH_FROM_END = 0.050  # and of its handle
NOTCH_FROM_END_COVERED = 0.103  # room for the plate's edge and its clearance to the handle
# Tighter in x than the benchmark's +-.57 and, for lids that open sideways, 3 cm nearer than its -.31 (chains of six
# under a plate hardly fit otherwise). The spans keep all handles of one box within reach from one stance.
HANDLE_REACH = {"x+": Rect(-0.45, -0.34, 0.45, 0.18), "y+": Rect(-0.45, -0.31, 0.45, 0.18)}
HANDLE_SPAN = (0.80, 0.45)
LID_HANDLE = {"x+": (-0.04, 0.035), "y+": (0.0, -0.02)}


@dataclass(frozen=True)
class Chain:
    """A lid and its bolts, bolt 1 first."""

    lid: Lid
    bolts: tuple[Part, ...]


def clear_of_hand(part: Part, slot: Rect) -> bool:
    """Whether bar and handle stay out of the hand's way when it takes the item, wherever the part has been left."""
    low = RELEASED_AT_LID if part.chain == 1 else part.travel[0]  # the lid is only open with bolt 1 released
    bar = part.bar(low, part.length + part.travel[1])
    return not bar.overlaps(slot) and part.handle_path.distance(slot) >= POST_RADIUS + 0.005


def draw_lid(rng: np.random.Generator, direction: str) -> tuple[Lid, Vec2, Vec2]:
    """A lid opening to x+ or y+, with the axis and the tip of bolt 1."""
    depth = LID_HALF[0 if direction == "y+" else 1]
    axis = (float(rng.choice([-1.0, 1.0])), 0.0) if direction == "y+" else (0.0, -1.0)
    room = LID_HALF[1 if direction == "y+" else 0] - NOTCH_LENGTH / 2 - 0.012
    slot = rounded(rng.uniform(-room, room))
    edge = (axis[0] * depth, slot) if direction == "y+" else (slot, axis[1] * depth)
    across = left_of(axis)
    half = NOTCH_LENGTH / 2

    def point(inward: float, sideways: float) -> Vec2:
        x = edge[0] - axis[0] * inward + across[0] * sideways
        return rounded(x), rounded(edge[1] - axis[1] * inward + across[1] * sideways)

    notch = Rect.around([point(0.0, -half), point(NOTCH_DEPTH_LID, half)])
    lid = Lid(direction, LID_AXIS[direction], LID_TRAVEL[direction], notch, LID_HANDLE[direction])
    return lid, axis, point(ENGAGED_LID, 0.0)


def bar_fits(
    part: Part, others: Iterable[Part], lid: Lid, *, touching: tuple[str, ...] = (), bar_vs_lid: bool = True
) -> bool:
    """Whether the part's sweep is clear and its handle in reach; a longer bar with the same tip never fits better.

    `touching` names the parts whose bars it may enter (the one it blocks); `bar_vs_lid` is off for bolt 1 only.
    """
    path = part.handle_path
    if not HANDLE_REACH[lid.direction].holds(path) or path.distance(lid.sweep) < POST_RADIUS + GAP:
        return False
    sweep = part.sweep.grown(GAP)
    if bar_vs_lid and sweep.overlaps(lid.sweep):
        return False
    if any(other.name not in touching and sweep.overlaps(other.sweep) for other in others):
        return False
    return clear_of_hand(part, item_slot(lid.direction))


def handles_apart(part: Part, others: Iterable[Part], lid: Lid) -> bool:
    """Whether open fingers fit around each handle, in every combination of rest and pulled positions."""
    path = part.handle_path
    return all(path.distance(p.handle_path) >= HANDLE_CLEARANCE for p in (lid, *others))


def compact(parts: Iterable[Part], lid: Lid) -> bool:
    """Whether all handles, wherever they are, lie within `HANDLE_SPAN`."""
    half = bounds([lid.handle_path, *(p.handle_path for p in parts)]).half
    return 2 * half[0] <= HANDLE_SPAN[0] and 2 * half[1] <= HANDLE_SPAN[1]


def draw_chain(rng: np.random.Generator, direction: str, length: int, covered: range = range(0)) -> Chain | None:
    """A lid and `length` bolts, or None if the node budget ran out. `direction` is x+ or y+.

    `covered` are the engagements a plate will hide: number k is the notch of bolt k, 0 that of the lid.
    """
    lid, axis, tip = draw_lid(rng, direction)
    budget = NODE_BUDGET

    def extend(bolts: tuple[Part, ...], axis: Vec2, tip: Vec2) -> tuple[Part, ...] | None:
        nonlocal budget
        budget -= 1
        k = len(bolts) + 1
        tip_length = TIP_LENGTH_LID if k == 1 else TIP_LENGTH
        margin = NOTCH_FROM_END_COVERED if k in covered else NOTCH_FROM_END
        shortest = 0.0 if k == length else NOTCH_FROM_TIP + margin
        fitting: list[Part] = []
        for size in (n for n in LENGTHS if n >= shortest):
            bolt = Part(f"bolt_{k}", axis, tip, size, tip_length, (0.0, TRAVEL), None, "bolt", k)
            if not bar_fits(bolt, bolts, lid, touching=(f"bolt_{k - 1}",), bar_vs_lid=k > 1):
                break
            if handles_apart(bolt, bolts, lid) and cover_with_plate(lid, (*bolts, bolt), covered) is not None:
                fitting.append(bolt)
        if k == length or not fitting:
            return (*bolts, fitting[rng.integers(len(fitting))]) if fitting else None
        options = [
            (bolt, Notch(rounded(offset), side))
            for bolt in fitting
            for offset in np.arange(NOTCH_FROM_TIP, bolt.length - margin + 1e-9, 0.006)
            for side in (-1, 1)
        ]
        for i in rng.permutation(len(options)):
            bolt, notch = options[i]
            side = left_of(axis)
            outward = (side[0] * notch.side, side[1] * notch.side)
            next_tip = bolt.at(notch.offset, notch.side * (HALF_WIDTH - ENGAGED))
            found = extend((*bolts, replace(bolt, notch=notch)), outward, next_tip)
            if found is not None or budget < 0:
                return found
        return None

    bolts = extend((), axis, tip)
    return Chain(lid, bolts) if bolts is not None and compact(bolts, lid) else None
