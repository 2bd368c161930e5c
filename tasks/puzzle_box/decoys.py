"""Draws decoys: sliders that block nothing, and the relock decoy that pushes bolt 1 back in.

A relock decoy runs parallel to bolt 1 and is pulled the other way. Its rod lies across, 7 mm behind the post of the
pulled bolt 1; pulling the decoy by its 50 mm pushes that post, and with it the bolt's tip, back into the lid's
notch. A return spring then takes the decoy home and leaves the bolt in.
"""

from __future__ import annotations

import numpy as np

from .chain import GAP, Chain, bar_fits, compact, handles_apart
from .geometry import Rect, rounded
from .parts import (
    DECOY_TRAVEL,
    HALF_WIDTH,
    HANDLE_CLEARANCE,
    HANDLE_INSET,
    PLATE_HANDLE_CLEARANCE,
    POST_RADIUS,
    ROD_CLEARANCE,
    ROD_HALF_WIDTH,
    TIP_LENGTH,
    TRAVEL,
    Part,
)

TRIES = 150
AXES = ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0))
TIP_AREA = Rect(-0.36, -0.29, 0.36, 0.16)
LENGTHS = (0.10, 0.16)
RELOCK_LENGTHS = (0.10, 0.14)
RELOCK_ASIDE = (HANDLE_CLEARANCE + 0.003, 0.17)


def draw_decoys(
    rng: np.random.Generator, chain: Chain, plate: tuple[Rect, ...], count: int, *, relock: bool
) -> tuple[Part, ...] | None:
    """`count` decoys, the first of them a relock decoy if asked for; None if they find no room."""
    decoys: tuple[Part, ...] = ()
    for number in range(1, count + 1):
        found = _try(rng, chain, plate, decoys, f"decoy_{number}", relock=relock and number == 1)
        if found is None:
            return None
        decoys = (*decoys, found)
    return decoys


def _try(
    rng: np.random.Generator,
    chain: Chain,
    plate: tuple[Rect, ...],
    decoys: tuple[Part, ...],
    name: str,
    *,
    relock: bool,
) -> Part | None:
    for _ in range(TRIES):
        part = _relock(rng, name, chain.bolts[0]) if relock else _plain(rng, name)
        if any(part.handle_path.distance(rect) < PLATE_HANDLE_CLEARANCE for rect in plate):
            continue
        others = (*chain.bolts, *decoys)
        if not (bar_fits(part, others, chain.lid) and handles_apart(part, others, chain.lid)):
            continue
        if compact([*others, part], chain.lid) and _rods_clear(part, chain, decoys):
            return part
    return None


def _plain(rng: np.random.Generator, name: str) -> Part:
    axis = AXES[rng.integers(4)]
    tip = rounded(rng.uniform(TIP_AREA.x0, TIP_AREA.x1)), rounded(rng.uniform(TIP_AREA.y0, TIP_AREA.y1))
    return Part(name, axis, tip, rounded(rng.uniform(*LENGTHS)), TIP_LENGTH, DECOY_TRAVEL, None, "decoy", 0)


def _relock(rng: np.random.Generator, name: str, bolt: Part) -> Part:
    axis = (-bolt.axis[0] + 0.0, -bolt.axis[1] + 0.0)
    # Along bolt 1: behind the post once the bolt has been pulled out to its stop.
    behind = bolt.length - HANDLE_INSET + TRAVEL + POST_RADIUS + ROD_CLEARANCE
    aside = float(rng.choice([-1, 1])) * rng.uniform(*RELOCK_ASIDE)
    length = rng.uniform(*RELOCK_LENGTHS)
    from_tip = rng.uniform(0.012, length - 0.075)  # where on the decoy the rod sits
    tip = bolt.at(rounded(behind + ROD_HALF_WIDTH + from_tip), rounded(aside))
    rod_ends = [
        bolt.at(rounded(behind), rounded(aside + np.sign(aside) * HALF_WIDTH)),
        bolt.at(rounded(behind + 2 * ROD_HALF_WIDTH), rounded(-np.sign(aside) * POST_RADIUS)),
    ]
    rod = Rect.around(rod_ends)
    return Part(name, axis, tip, rounded(length), TIP_LENGTH, (0.0, TRAVEL), None, "relock", 0, rod)


def _rods_clear(part: Part, chain: Chain, decoys: tuple[Part, ...]) -> bool:
    """Whether every push rod passes all posts but that of bolt 1, which it meets only once that bolt is pulled."""
    parts = (*chain.bolts, *decoys, part)
    paths = [(p, p.handle_path) for p in parts] + [(None, chain.lid.handle_path)]
    for owner in parts:
        if owner.rod_sweep is None:
            continue
        for other, path in paths:
            if other is owner or (other is not None and other.chain == 1):
                continue
            if owner.rod_sweep.distance(path) < POST_RADIUS + GAP:
                return False
    return True
