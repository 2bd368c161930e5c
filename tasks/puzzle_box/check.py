"""Checks of a drawn box: can it be solved, and does the geometry do what the engagements say.

Works on the finished data alone, not on how it was drawn, so that it would notice a slip in the search. Metres.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from .geometry import Rect
from .parts import (
    HALF_WIDTH,
    HANDLE_CLEARANCE,
    ITEM_SLOT_HALF,
    ITEM_XY,
    PLATE_HANDLE_CLEARANCE,
    POST_RADIUS,
    Engagement,
    Part,
)

if TYPE_CHECKING:
    from .structure import BoxStructure

MAX_PLAY = 0.005


def free_parts(engagements: Iterable[Engagement], names: Iterable[str], released: Iterable[str]) -> set[str]:
    """The parts (and `lid`) among `names` that nothing holds once `released` are out."""
    out = set(released)
    held = {e.blocked for e in engagements if e.blocker not in out}
    return set(names) - held


def required(engagements: Iterable[Engagement]) -> tuple[str, ...]:
    """What must be released before the lid opens, in an order that works; raises ValueError if none does."""
    blockers: dict[str, list[str]] = {}
    for e in engagements:
        blockers.setdefault(e.blocked, []).append(e.blocker)
    order: list[str] = []

    def release(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"the engagements block each other in a circle at {name}")
        for blocker in blockers.get(name, []):
            release(blocker, (*above, name))
        if name not in order:
            order.append(name)

    release("lid", ())
    return tuple(order[:-1])


def faults(box: BoxStructure) -> list[str]:
    """Everything that is wrong with a box; empty if it is sound."""
    return [*_graph_faults(box), *_interlock_faults(box), *_hand_faults(box), *_plate_faults(box)]


def _graph_faults(box: BoxStructure) -> list[str]:
    names = [*(p.name for p in box.parts), "lid"]
    released: list[str] = []
    for name in box.release_order:
        if name not in free_parts(box.engagements, names, released):
            return [f"{name} is still held when its turn comes"]
        if "lid" in free_parts(box.engagements, names, released):
            return ["the lid is free too early"]
        released.append(name)
    return [] if "lid" in free_parts(box.engagements, names, released) else ["the lid never comes free"]


def _play(box: BoxStructure, engagement: Engagement) -> float | None:
    """How far the blocked part moves before it meets the tip; None if the tip is outside its notch."""
    blocker = box.part(engagement.blocker)
    tip = blocker.bar(0.0, 0.001)
    if engagement.blocked == "lid":
        notch, axis = box.lid.notch, box.lid.axis
    else:
        part = box.part(engagement.blocked)
        if part.notch is None:
            return None
        n = part.notch
        inner = n.side * (HALF_WIDTH - n.depth)
        start, stop = n.offset - n.length / 2, n.offset + n.length / 2
        notch = Rect.around([part.at(start, inner), part.at(stop, n.side * HALF_WIDTH)])
        axis = part.axis
    if not notch.holds(tip):
        return None
    # The notch's trailing edge comes towards the tip as the part moves along its axis.
    back = {(1.0, 0.0): tip.x0 - notch.x0, (-1.0, 0.0): notch.x1 - tip.x1, (0.0, 1.0): tip.y0 - notch.y0}
    return back.get(axis, notch.y1 - tip.y1)


def _interlock_faults(box: BoxStructure) -> list[str]:
    found = []
    linked = {frozenset((e.blocker, e.blocked)) for e in box.engagements}
    for e in box.engagements:
        play, blocker = _play(box, e), box.part(e.blocker)
        if play is None or play > MAX_PLAY:
            found.append(f"{e.blocker} does not hold {e.blocked}")
        swept = box.lid.sweep if e.blocked == "lid" else box.part(e.blocked).sweep
        release = blocker.released_at
        if blocker.bar(release, blocker.length + blocker.travel[1]).overlaps(swept):
            found.append(f"{e.blocker} still touches {e.blocked} when released")
    for a, b in combinations(box.parts, 2):
        if frozenset((a.name, b.name)) not in linked and a.sweep.overlaps(b.sweep):
            found.append(f"the sweeps of {a.name} and {b.name} cross")
    for part in box.parts:
        if frozenset((part.name, "lid")) not in linked and part.sweep.overlaps(box.lid.sweep):
            found.append(f"the sweeps of {part.name} and the lid cross")
    return found


def _hand_faults(box: BoxStructure) -> list[str]:
    paths = {"lid": box.lid.handle_path, **{p.name: p.handle_path for p in box.parts}}
    found = [
        f"the handles of {a} and {b} come too close"
        for a, b in combinations(paths, 2)
        if paths[a].distance(paths[b]) < HANDLE_CLEARANCE
    ]
    slot = Rect.centred(ITEM_XY[box.lid.direction], ITEM_SLOT_HALF)
    found += [f"the handle of {p.name} is over the item" for p in box.parts if _over(p, slot)]
    found += [f"the plate covers the item slot ({r})" for r in box.plate if r.overlaps(slot)]
    if box.lid.body(box.lid.open_at).overlaps(slot):
        found.append("the open lid is in the hand's way")
    return found


def _over(part: Part, slot: Rect) -> bool:
    return part.handle_path.distance(slot) < POST_RADIUS


def _plate_faults(box: BoxStructure) -> list[str]:
    paths = {"lid": box.lid.handle_path, **{p.name: p.handle_path for p in box.parts}}
    found = [
        f"the plate comes too close to the handle of {name}"
        for name, path in paths.items()
        if any(rect.distance(path) < PLATE_HANDLE_CLEARANCE for rect in box.plate)
    ]
    for e in box.engagements:
        under = any(r.holds(Rect.around([e.xy])) for r in box.plate)
        if under != e.covered:
            found.append(f"{e.blocker} on {e.blocked} is marked covered={e.covered} but is under={under}")
    return found
