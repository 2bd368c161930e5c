"""The puzzle box as plain data: `sample_structure` draws one, `twin` gives the same view with another truth.

Lid and bolt k are blocked by the tip of bolt k+1 in their notch, so bolts come free highest-numbered first and the lid
last. Parts are named by where their handles stand, so a name tells nothing of the chain.

Deviations from the benchmark's figures (reference section 8.9):
- notches are 38 mm long, not 40: a blocked part moves 4 mm and contact give keeps it under 5 mm;
- the lid is 23.6 cm long, not 24: at `open_at` it must clear the hand over the item;
- handles stay within x +-.45 (not +-.57) and within a span of .80 x .45, so that the robot reaches all of them; boxes
  whose lid opens sideways may use y down to -.34 (not -.31), else six bolts and a plate hardly fit;
- a partial cover hides 3 engagements at every chain length (with 4 at chain 6 it would equal a full cover);
- the deck is as large as the parts need.
Metres, box frame.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, get_args

import numpy as np

from .chain import Chain, draw_chain
from .check import faults, required
from .decoys import draw_decoys
from .geometry import Rect, Vec2, bounds
from .mirror import flip, flip_part, flip_rect
from .parts import (
    CAVITY_HALF,
    ENGAGED,
    ENGAGED_LID,
    ITEM_XY,
    Appearance,
    Cover,
    Engagement,
    Lid,
    Notch,
    Part,
)
from .plate import CUT, cover_with_plate, covered_run, place_pillars

CHAINS = (4, 5, 6)
DIRECTIONS = ("x+", "x-", "y+")
HELD_OUT = frozenset({"x+-k4", "x--k5", "y+-k6"})
MAX_DECOYS = 2
TRIES = 2000
DECK_LIMIT = Rect(-0.40, -0.33, 0.40, 0.26)
DECK_AROUND_CAVITY = Rect.centred((0.0, 0.0), (0.16, 0.11))
DECK_MARGIN = 0.012


class PuzzleBoxError(Exception):
    """Base of the errors of this package."""


class StructureNotFound(PuzzleBoxError):
    """No structure fits within the bounded number of tries."""


@dataclass(frozen=True)
class BoxStructure:
    """One puzzle box. `cover`, `plate` and everything not under the plate is public; the rest is hidden truth."""

    chain: int
    cover: Cover
    lid: Lid
    parts: tuple[Part, ...]
    engagements: tuple[Engagement, ...]
    plate: tuple[Rect, ...]
    pillars: tuple[Vec2, ...]
    deck: Rect
    appearance: Appearance = field(default_factory=Appearance)

    @property
    def split_key(self) -> str:
        """Structure class, for example `x+-k4`; those in `HELD_OUT` are for evaluation only."""
        return f"{self.lid.direction}-k{self.chain}"

    @property
    def item_xy(self) -> Vec2:
        return ITEM_XY[self.lid.direction]

    @property
    def visible_engagements(self) -> tuple[Engagement, ...]:
        """Those the plate does not cover."""
        return tuple(e for e in self.engagements if not e.covered)

    @property
    def release_order(self) -> tuple[str, ...]:
        """Hidden truth: the parts that must be released before the lid opens, first one first."""
        return required(self.engagements)

    @property
    def footprint(self) -> Rect:
        """Everything the box and its moving parts ever cover, including posts that overhang the deck."""
        return bounds([self.deck, self.lid.sweep, *(p.sweep for p in self.parts)])

    def part(self, name: str) -> Part:
        return next(p for p in self.parts if p.name == name)

    def blockers_of(self, name: str) -> tuple[str, ...]:
        """Parts whose tips hold `name` (a part or `lid`) while all are at rest."""
        return tuple(e.blocker for e in self.engagements if e.blocked == name)

    def to_json(self) -> dict[str, Any]:
        """Lists, dicts, strings and numbers only; `from_json` gives back an equal structure."""
        return _plain(asdict(self))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BoxStructure:
        lid = {**data["lid"], "axis": tuple(data["lid"]["axis"]), "handle": tuple(data["lid"]["handle"])}
        return cls(
            chain=data["chain"],
            cover=data["cover"],
            lid=Lid(**{**lid, "notch": Rect(**lid["notch"])}),
            parts=tuple(_part(p) for p in data["parts"]),
            engagements=tuple(Engagement(**{**e, "xy": tuple(e["xy"])}) for e in data["engagements"]),
            plate=tuple(Rect(**r) for r in data["plate"]),
            pillars=tuple((x, y) for x, y in data["pillars"]),
            deck=Rect(**data["deck"]),
            appearance=Appearance(**{k: tuple(v) for k, v in data["appearance"].items()}),
        )


def sample_structure(
    rng: np.random.Generator, chain: int, cover: Cover, *, directions: Sequence[str] = DIRECTIONS
) -> BoxStructure:
    """Draws a box with `chain` bolts (4, 5 or 6), `cover` none, partial or full, and 0-2 decoys.

    The lid's direction is drawn from `directions`. Raises `StructureNotFound` after a bounded number of tries and
    `ValueError` for a chain or cover that does not exist.
    """
    if chain not in CHAINS or cover not in get_args(Cover):
        raise ValueError(f"no puzzle box with chain {chain!r} and cover {cover!r}; chains are 4, 5, 6")
    direction = str(rng.choice(list(directions)))
    decoys = int(rng.integers(MAX_DECOYS + 1))
    relock = decoys > 0 and bool(rng.random() < 0.5)
    for _ in range(TRIES):
        run = covered_run(rng, chain, cover)
        found = _attempt(rng, direction, chain, cover, run, decoys, relock=relock)
        if found is not None and not faults(found):
            return found
    raise StructureNotFound(f"chain {chain}, cover {cover}, lid {direction}, {decoys} decoys: {TRIES} tries")


def sample_appearance(rng: np.random.Generator) -> Appearance:
    """Woods and metals for the box; draws nothing that belongs to the puzzle."""
    woods = ((0.45, 0.28, 0.15), (0.36, 0.20, 0.11), (0.55, 0.40, 0.25), (0.30, 0.25, 0.22))
    decks = ((0.72, 0.53, 0.33), (0.80, 0.66, 0.45), (0.62, 0.44, 0.28), (0.78, 0.72, 0.62))
    lids = ((0.55, 0.24, 0.12), (0.22, 0.33, 0.42), (0.24, 0.38, 0.27), (0.48, 0.15, 0.15))
    bars = ((0.62, 0.64, 0.67), (0.50, 0.52, 0.56), (0.70, 0.68, 0.64))
    tips = ((0.83, 0.65, 0.25), (0.78, 0.50, 0.28))
    plates = ((0.20, 0.17, 0.15), (0.28, 0.18, 0.10), (0.16, 0.18, 0.22))
    return Appearance(*(kind[rng.integers(len(kind))] for kind in (woods, decks, lids, bars, tips, plates)))


def twin(structure: BoxStructure, rng: np.random.Generator) -> BoxStructure | None:
    """The same visible box with one hidden tip cut short, so that another bolt is free from the start.

    The tip of a bolt under the plate ends `CUT` earlier and no longer reaches its notch: the bolt it used to hold is
    free, and the bolts behind it have become decoys. None if nothing suitable is covered.
    """
    cuts = [e for e in structure.engagements if e.covered and e.blocked != "lid"]
    if not cuts:
        return None
    cut = cuts[rng.integers(len(cuts))]
    engagements = tuple(e for e in structure.engagements if e != cut)
    needed = required(engagements)
    return replace(
        structure,
        engagements=engagements,
        parts=tuple(_as_twin(p, shorten=p.name == cut.blocker, needed=needed) for p in structure.parts),
    )


def _as_twin(part: Part, *, shorten: bool, needed: tuple[str, ...]) -> Part:
    if part.kind == "bolt" and part.name not in needed:
        part = replace(part, kind="decoy", chain=0)
    if not shorten:
        return part
    notch = None if part.notch is None else replace(part.notch, offset=part.notch.offset - CUT)
    return replace(
        part,
        tip=part.at(CUT),
        length=part.length - CUT,
        tip_length=part.tip_length - CUT,
        notch=notch,
    )


def _attempt(
    rng: np.random.Generator,
    direction: str,
    length: int,
    cover: Cover,
    run: range,
    decoy_count: int,
    *,
    relock: bool,
) -> BoxStructure | None:
    chain = draw_chain(rng, "y+" if direction == "y+" else "x+", length, run)
    if chain is None:
        return None
    plate = cover_with_plate(chain.lid, chain.bolts, run)
    if plate is None:
        return None
    decoys = draw_decoys(rng, chain, plate, decoy_count, relock=relock)
    if decoys is None:
        return None
    parts = (*chain.bolts, *decoys)
    swept = [chain.lid.sweep, *(p.sweep for p in parts), *(p.rod_sweep for p in parts if p.rod_sweep)]
    pillars = place_pillars(plate, [*swept, Rect.centred((0.0, 0.0), CAVITY_HALF)]) if plate else ()
    if pillars is None:
        return None
    box = _assemble(chain, decoys, cover, run, plate, pillars)
    return _mirrored(box) if direction == "x-" else box


def _assemble(
    chain: Chain,
    decoys: tuple[Part, ...],
    cover: Cover,
    run: range,
    plate: tuple[Rect, ...],
    pillars: tuple[Vec2, ...],
) -> BoxStructure:
    parts = (*chain.bolts, *decoys)
    held = ("lid", *(b.name for b in chain.bolts))
    engagements = tuple(
        Engagement(bolt.name, held[k], bolt.at((ENGAGED if k else ENGAGED_LID) / 2), k in run)
        for k, bolt in enumerate(chain.bolts)
    )
    rest = bounds([chain.lid.sweep, DECK_AROUND_CAVITY, *(p.bar() for p in parts), *plate])
    pulled = bounds([p.sweep for p in parts])
    deck = bounds([rest, _clip(pulled, DECK_LIMIT)], DECK_MARGIN)
    box = BoxStructure(len(chain.bolts), cover, chain.lid, parts, engagements, plate, pillars, _tidy(deck))
    return _renamed(box)


def _clip(rect: Rect, limit: Rect) -> Rect:
    x0, y0 = max(rect.x0, limit.x0), max(rect.y0, limit.y0)
    return Rect(x0, y0, min(rect.x1, limit.x1), min(rect.y1, limit.y1))


def _tidy(rect: Rect) -> Rect:
    return Rect(*(round(v, 5) for v in (rect.x0, rect.y0, rect.x1, rect.y1)))


def _renamed(box: BoxStructure) -> BoxStructure:
    """Neutral names in the order of the handles, left to right, so that names leak nothing."""
    ordered = sorted(box.parts, key=lambda p: p.handle)
    names = {p.name: f"part_{letter}" for p, letter in zip(ordered, "abcdefgh", strict=False)} | {"lid": "lid"}
    return replace(
        box,
        parts=tuple(replace(p, name=names[p.name]) for p in ordered),
        engagements=tuple(replace(e, blocker=names[e.blocker], blocked=names[e.blocked]) for e in box.engagements),
    )


def _mirrored(box: BoxStructure) -> BoxStructure:
    """The mirror image, left for right: an x+ box becomes an x- box."""
    lid = box.lid
    return _renamed(
        replace(
            box,
            lid=Lid("x-", flip(lid.axis), lid.travel, flip_rect(lid.notch), flip(lid.handle)),
            parts=tuple(flip_part(p) for p in box.parts),
            engagements=tuple(replace(e, xy=flip(e.xy)) for e in box.engagements),
            plate=tuple(flip_rect(r) for r in box.plate),
            pillars=tuple(flip(p) for p in box.pillars),
            deck=flip_rect(box.deck),
        )
    )


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value


def _part(data: dict[str, Any]) -> Part:
    notch = None if data["notch"] is None else Notch(**data["notch"])
    rod = None if data["rod"] is None else Rect(**data["rod"])
    tuples = {k: tuple(data[k]) for k in ("axis", "tip", "travel")}
    return Part(**{**data, **tuples, "notch": notch, "rod": rod})
