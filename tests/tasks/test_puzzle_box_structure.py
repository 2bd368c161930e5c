"""The puzzle box as plain data."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from tasks.puzzle_box import structure as module
from tasks.puzzle_box.check import faults, free_parts, required
from tasks.puzzle_box.geometry import Rect, without
from tasks.puzzle_box.parts import Engagement
from tasks.puzzle_box.structure import (
    DIRECTIONS,
    BoxStructure,
    StructureNotFound,
    sample_appearance,
    sample_structure,
    twin,
)

CELLS = [(chain, cover) for chain in (4, 5, 6) for cover in ("none", "partial", "full")]
HIDDEN = {"none": 0, "partial": 3, "full": 4}


@pytest.fixture(scope="module")
def boxes() -> dict[tuple[int, str, str], BoxStructure]:
    return {
        (chain, cover, d): sample_structure(np.random.default_rng(7), chain, cover, directions=(d,))
        for chain, cover in CELLS
        for d in DIRECTIONS
    }


def test_sampling_is_deterministic() -> None:
    a, b = (sample_structure(np.random.default_rng(3), 5, "partial") for _ in range(2))
    assert a == b
    assert a != sample_structure(np.random.default_rng(4), 5, "partial")


def test_every_cell_and_direction_is_sound(boxes: dict[tuple[int, str, str], BoxStructure]) -> None:
    for (chain, cover, direction), box in boxes.items():
        assert faults(box) == []
        assert box.split_key == f"{direction}-k{chain}"
        assert len(box.release_order) == chain
        assert sum(e.covered for e in box.engagements) == HIDDEN[cover]
        assert len(box.visible_engagements) == chain - HIDDEN[cover]
        assert bool(box.plate) == (cover != "none")


def test_json_round_trip_is_exact(boxes: dict[tuple[int, str, str], BoxStructure]) -> None:
    for box in boxes.values():
        dressed = replace(box, appearance=sample_appearance(np.random.default_rng(1)))
        assert BoxStructure.from_json(json.loads(json.dumps(dressed.to_json()))) == dressed


def test_names_follow_the_handles_and_not_the_chain() -> None:
    orders = set()
    for seed in range(12):
        box = sample_structure(np.random.default_rng(seed), 4, "none")
        assert [p.name for p in box.parts] == [f"part_{c}" for c in "abcdefgh"[: len(box.parts)]]
        assert [p.handle for p in box.parts] == sorted(p.handle for p in box.parts)
        orders.add(box.release_order)
    assert len(orders) > 4


def test_bolts_come_free_one_after_the_other(boxes: dict[tuple[int, str, str], BoxStructure]) -> None:
    for box in boxes.values():
        names = [*(p.name for p in box.parts), "lid"]
        decoys = {p.name for p in box.parts if p.kind != "bolt"}
        for i, name in enumerate(box.release_order):
            out = box.release_order[:i]
            assert free_parts(box.engagements, names, out) - decoys - set(out) == {name}
        by_chain = sorted((p for p in box.parts if p.kind == "bolt"), key=lambda p: -p.chain)
        assert tuple(p.name for p in by_chain) == box.release_order


def test_a_twin_differs_under_the_plate_only(boxes: dict[tuple[int, str, str], BoxStructure]) -> None:
    for (_, cover, _), box in boxes.items():
        other = twin(box, np.random.default_rng(0))
        if cover == "none":
            assert other is None
            continue
        assert other is not None
        assert faults(other) == []
        assert other.visible_engagements == box.visible_engagements
        assert other.release_order != box.release_order
        assert (other.plate, other.pillars, other.deck, other.lid) == (box.plate, box.pillars, box.deck, box.lid)
        for a, b in zip(box.parts, other.parts, strict=True):
            assert (a.name, a.axis, a.handle, a.travel) == (b.name, b.axis, b.handle, b.travel)
            if a.tip != b.tip:
                lost = a.bar(0.0, a.length - b.length)
                assert np.isclose(sum(_shared(lost, r) for r in box.plate), _area(lost))
            if a.notch and b.notch:
                assert np.allclose(a.at(a.notch.offset), b.at(b.notch.offset))


def test_decoys_and_relocks_occur_as_often_as_they_should() -> None:
    counts = np.zeros(3)
    relocks = 0
    for seed in range(90):
        box = sample_structure(np.random.default_rng(seed), 4, "none")
        decoys = [p for p in box.parts if p.kind != "bolt"]
        counts[len(decoys)] += 1
        relocks += any(p.kind == "relock" for p in decoys)
    assert counts.min() >= 15
    assert 0.3 < relocks / counts[1:].sum() < 0.7


def test_a_broken_box_is_noticed(boxes: dict[tuple[int, str, str], BoxStructure]) -> None:
    box = boxes[4, "none", "x+"]
    last = box.release_order[0]
    short = tuple(replace(p, tip=p.at(0.02), length=p.length - 0.02) if p.name == last else p for p in box.parts)
    assert any("does not hold" in f for f in faults(replace(box, parts=short)))
    assert faults(replace(box, engagements=box.engagements[1:]))


def test_a_circle_of_blockers_is_refused() -> None:
    pairs = (("a", "lid"), ("b", "a"), ("a", "b"))
    with pytest.raises(ValueError, match="circle"):
        required(Engagement(x, y, (0.0, 0.0), False) for x, y in pairs)


def test_unknown_levels_are_refused() -> None:
    for chain, cover in ((3, "none"), (4, "half")):
        with pytest.raises(ValueError, match="no puzzle box"):
            sample_structure(np.random.default_rng(0), chain, cover)


def test_the_search_gives_up_with_a_named_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "draw_chain", lambda *_: None)
    with pytest.raises(StructureNotFound, match="chain 4"):
        sample_structure(np.random.default_rng(0), 4, "none")


def test_a_rectangle_without_a_hole() -> None:
    rect, hole = Rect(0, 0, 4, 3), Rect(1, 1, 2, 2)
    pieces = without(rect, hole)
    assert sum(_area(p) for p in pieces) == 11
    assert not any(p.overlaps(hole) for p in pieces)
    assert without(rect, Rect(5, 5, 6, 6)) and sum(_area(p) for p in without(rect, Rect(5, 1, 6, 2))) == 12


def _area(rect: Rect) -> float:
    return 4 * rect.half[0] * rect.half[1]


def _shared(a: Rect, b: Rect) -> float:
    dx, dy = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
    return max(dx, 0.0) * max(dy, 0.0)
