"""Caption rows: every tick once, stages and subtasks as runs of equal terms, the same words every time."""

from __future__ import annotations

import json

import pytest
from caption_scenes import TICKS, episode, instance, term

from annotate.errors import NotSeenError, TimelineError
from annotate.timeline import captions


def test_covers_every_tick_once():
    timeline = episode(1)
    rows = captions(instance(1), timeline)
    assert [t for row in rows for t in range(row.start, row.end)] == list(range(timeline[-1]["end"]))
    assert all(row.stage and row.subtask for row in rows)


def test_same_recording_same_words():
    assert captions(instance(3), episode(3)) == captions(instance(3), json.loads(json.dumps(episode(3))))


def test_words_vary_with_the_seed():
    texts = [[(r.stage, r.subtask) for r in captions(instance(seed), episode(3))] for seed in range(12)]
    assert all(len({text[i] for text in texts}) >= 3 for i in range(len(texts[0])))


def test_consistent_within_an_episode():
    """One verb, one wording."""
    for seed in range(20):
        rows = captions(instance(seed), episode(seed, 3))
        tries = {row.subtask.split()[0] for row in rows[1:4]}
        assert len(tries) == 1


def test_one_stage_one_text():
    timeline = episode(2)
    rows = captions(instance(2), timeline)
    for stage in {json.dumps(row["stage"]) for row in timeline}:
        starts = {row["start"] for row in timeline if json.dumps(row["stage"]) == stage}
        assert len({row.stage for row in rows if row.start in starts}) == 1


def test_equal_terms_in_a_row_are_one_subtask():
    timeline = episode(2)
    split = [
        *timeline[:1],
        {**timeline[1], "end": TICKS + 7},
        {**timeline[1], "start": TICKS + 7, "known": list(reversed(timeline[1]["known"]))},
        *timeline[2:],
    ]
    assert captions(instance(2), split) == captions(instance(2), timeline)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows.pop(3),
        lambda rows: rows.clear(),
        lambda rows: rows[2].update(end=rows[2]["end"] + 1),
        lambda rows: rows[2].update(end=rows[2]["start"]),
        lambda rows: rows[0].update(start=1),
    ],
)
def test_gaps_are_refused(spoil):
    timeline = episode(1)
    spoil(timeline)
    with pytest.raises(TimelineError):
        captions(instance(1), timeline)


def test_unseen_things_are_refused_with_their_tick():
    timeline = episode(1)
    timeline[4]["subtask"] = term("take", item="item", source="box")
    with pytest.raises(NotSeenError, match=f"tick {timeline[4]['start']}, subtask"):
        captions(instance(1), timeline)
