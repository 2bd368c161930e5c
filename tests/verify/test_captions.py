"""The judge accepts what annotate/ writes, and complains about every way of spoiling it."""

from __future__ import annotations

import copy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent.parent / "annotate"))
from caption_scenes import episode, instance, term, thing

# By name, at import: other tests of this folder put stand-ins in the modules.
from annotate.timeline import captions
from verify.captions import check_captions, durations
from verify.phrases import mentions


def make(seed=1):
    timeline = episode(seed)
    return instance(seed), timeline, captions(instance(seed), timeline)


def reword(rows, index, text):
    return [replace(row, subtask=text) if i == index else row for i, row in enumerate(rows)]


def test_accepts_what_is_right():
    for seed in range(100):
        assert check_captions(*make(seed)) == [], seed


def test_shares_no_code_with_the_speaker():
    for name in ("captions.py", "phrases.py"):
        source = (Path(__file__).parents[2] / "verify" / name).read_text()
        assert "import annotate" not in source and "from annotate" not in source


SWAPS = [
    ("leftmost", "rightmost"),
    ("from the left", "from the right"),
    ("to the left", "to the right"),
    ("nearest", "farthest"),
    ("away from you", "towards you"),
    ("second", "third"),
    ("forward", "back"),
]


def test_swapped_words_are_found():
    tried = dict.fromkeys(SWAPS, 0)
    for seed in range(15):
        record, timeline, rows = make(seed)
        for i, row in enumerate(rows):
            for pair in SWAPS:
                for old, new in (pair, pair[::-1]):
                    if old in row.subtask.split() or (" " in old and old in row.subtask):
                        spoiled = row.subtask.replace(old, new)
                        if (old == "back" and "Push" in row.subtask) or " of the three" in row.subtask:
                            continue  # "push back" is no direction; the second of three is so from both ends
                        assert check_captions(record, timeline, reword(rows, i, spoiled)), (row.subtask, spoiled)
                        tried[pair] += 1
    assert all(tried.values()), tried


def test_another_bolt_is_found():
    for seed in range(40):
        record, timeline, rows = make(seed)
        spoiled = copy.deepcopy(timeline)
        spoiled[1]["subtask"]["things"]["part"] = "bolt_5"
        assert check_captions(record, spoiled, rows)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("Take the candle", "cannot read"),
        ("Take candle", "has not been seen"),
        ("Reach for candles", "has not been seen"),
        ("Try it", "before anything is named"),
        ("Try the bolt", "could be 6 things"),
        ("Try the toaster", "cannot read"),
        ("Try the seventh bolt from the left", "cannot read"),
        ("Try the left bolt", "says 'left' of 6 things"),
        ("Try the leftmost lid", "compares, but 1"),
        ("Try", "names []"),
        ("Try them", "could be anything"),
        ("Try the puzzle box", "the term is about"),
        ("try the lid", "sentence case"),
        ("Try the lid.", "sentence case"),
        ("", "sentence case"),
        ("The lid opens", "sentence case"),
        ("Try the lid again", "tried before"),
        ("Try the two bolts", "cannot read"),
        ("Open what is inside", "things that have been seen"),
        ("Try the lid to the left", "degrees off"),
        ("Move ahead of the lid", "word of position"),
        ("Try " + "very " * 25 + "hard", "characters"),
    ],
)
def test_bad_texts(text, complaint):
    record, timeline, rows = make()
    timeline[1]["subtask"]["facts"]["direction"] = [-1.0, 0.0]
    problems = check_captions(record, timeline, reword(rows, 1, text))
    assert any(complaint in problem for problem in problems), problems


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows[:3] + rows[4:],
        lambda rows: rows[1:],
        lambda rows: rows[:-1],
        lambda rows: [],
        lambda rows: [*rows, replace(rows[-1], start=rows[-1].end, end=rows[-1].end + 10)],
        lambda rows: [*rows[:2], replace(rows[2], end=rows[2].end + 5), *rows[3:]],
        lambda rows: [*rows[:2], replace(rows[2], end=rows[2].start), *rows[3:]],
        lambda rows: [*rows[:2], replace(rows[2], end=rows[3].end), *rows[4:]],
        lambda rows: [
            *rows[:2],
            replace(rows[2], end=rows[2].end + 5),
            replace(rows[3], start=rows[3].start + 5),
            *rows[4:],
        ],
        lambda rows: [replace(rows[0], stage=rows[2].stage), *rows[1:]],
        lambda rows: [*rows[:2], replace(rows[2], stage="Free the bolts of the puzzle box quickly"), *rows[3:]],
        lambda rows: [replace(row, stage="") for row in rows],
    ],
)
def test_bad_rows(spoil):
    record, timeline, rows = make()
    assert check_captions(record, timeline, spoil(rows))


def test_naming_the_item_in_a_stage_before_it_is_seen():
    record, timeline, rows = make()
    spoiled = [replace(row, stage=row.stage.replace("what is inside", "the candle")) for row in rows]
    assert spoiled != rows
    assert any("candle" in problem for problem in check_captions(record, timeline, spoiled))


def test_terms_about_unseen_things():
    record, timeline, rows = make()
    timeline[1]["subtask"] = term("try_slide", part="bolt_99")
    assert any("has not been seen" in problem for problem in check_captions(record, timeline, rows))


def test_stale_positions_are_found():
    """The robot turned round: left is right."""
    for seed in range(12):
        record, timeline, rows = make(seed)
        turned = [
            {**row, "known": [{**t, "position": [t["position"][0], -t["position"][1], 0.9]} for t in row["known"]]}
            for row in timeline
        ]
        if not any(word in row.subtask for row in rows for word in ("leftmost", "rightmost", "bolt from the")):
            continue
        assert check_captions(record, turned, rows)


def test_captions_on_the_wrong_rows_are_found():
    for seed in range(12):
        record, timeline, rows = make(seed)
        for level in ("stage", "subtask"):
            texts = [getattr(row, level) for row in rows]
            late = [replace(row, **{level: text}) for row, text in zip(rows, [texts[0], *texts], strict=False)]
            assert check_captions(record, timeline, late)


def test_durations():
    record, timeline, rows = make()
    taken = durations(timeline)
    assert sum(taken.stages) == sum(taken.subtasks) == timeline[-1]["end"] / 20
    assert len(taken.subtasks) == len(rows)
    for factor, complaint in ((0.1, "not 5 to 60"), (8, "more than 40"), (8, "not 5 to 60")):
        scaled = [{**r, "start": int(r["start"] * factor), "end": int(r["end"] * factor)} for r in timeline]
        spread = [replace(r, start=int(r.start * factor), end=int(r.end * factor)) for r in rows]
        assert any(complaint in p for p in check_captions(record, scaled, spread))


def test_margins_of_the_listener():
    for gap, name in ((0.019, ()), (0.021, ("a",))):
        known = [thing("a", "bolt", [0.5, gap, 0.9]), thing("b", "bolt", [0.8, 0, 0.9])]
        assert mentions("Try the left bolt", known)[0].names == name
        assert mentions("Try the nearer bolt", known)[0].names == ("a",)
