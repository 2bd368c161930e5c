"""Phrases mean one thing: a listener who shares no code with the speaker agrees, in thousands of random scenes."""

from __future__ import annotations

import numpy as np
import pytest
from caption_scenes import bolts, motley, thing

from annotate.errors import AmbiguousError, NotSeenError, TermError
from annotate.forms import forms
from annotate.refer import Namer, everything
from annotate.style import Style
from tasks.terms import Thing
from verify.phrases import mentions


def read(records):
    return [Thing.from_json(record) for record in records]


def meant(phrase, records):
    """What the listener takes a phrase to mean; it has to be read to its last word."""
    found = mentions(f"Take {phrase}", records)
    assert len(found) == 1 and found[0].end == len(phrase) + 5, (phrase, found)
    return found[0].names


@pytest.mark.parametrize("scene", [bolts, motley])
def test_phrases_mean_their_thing(scene):
    rng = np.random.default_rng(7)
    kinds = set()
    for seed in range(400):
        records = scene(rng, int(rng.integers(2, 9)))
        known, namer = read(records), Namer(Style(seed))
        for target in known:
            phrase = namer.name(target.name, known, by_part=seed % 2 == 0)
            assert meant(phrase, records) == (target.name,), phrase
            kinds.add("cm" if " cm " in phrase else "of the" if " of the " in phrase else phrase.split()[1])
    assert len(kinds) > 8


def test_every_form_that_is_thought_of_is_right():
    rng = np.random.default_rng(8)
    for _ in range(120):
        records = motley(rng, int(rng.integers(2, 9)))
        known = read(records)
        for target in known:
            for form in forms(target, known, by_part=True):
                assert meant(form.text, records) == (target.name,), form


def test_form_of_last_resort():
    """Columns and rings that are ties in every order."""
    records = [thing(f"bolt_{i}{j}", "bolt", [0.4 + 0.015 * i, 0.015 * j, 0.9]) for i in range(3) for j in range(3)]
    wide = [{**r, "position": [r["position"][0], 2 * r["position"][1], 0.9 + 0.03 * i]} for i, r in enumerate(records)]
    for target in read(wide):
        assert meant(Namer(Style(0)).name(target.name, read(wide)), wide) == (target.name,)


def test_same_place_is_ambiguous():
    known = read([thing("a", "bolt", [0.5, 0, 0.9]), thing("b", "bolt", [0.51, 0.01, 0.9])])
    with pytest.raises(AmbiguousError, match="a cannot be told"):
        Namer(Style(0)).name("a", known)


def test_not_seen():
    with pytest.raises(NotSeenError, match="candle_1 has not been seen"):
        Namer(Style(0)).name("candle_1", read(bolts(np.random.default_rng(0), 3)))


def test_plain_when_alone():
    known = read([thing("a", "lid", [0.5, 0, 0.9]), thing("b", "tray", [0.5, 0.2, 0.9], traits={"colour": "red"})])
    assert {Namer(Style(s)).name("b", known) for s in range(20)} == {"the tray"}


@pytest.mark.parametrize(
    ("positions", "target", "wanted"),
    [
        ([[0.5, 0.3], [0.5, -0.3]], 1, {"the right bolt"}),
        ([[0.5, 0.3], [0.505, 0.0], [0.5, -0.3]], 0, {"the leftmost bolt"}),
        (
            [[0.5, 0.3], [0.505, 0.0], [0.5, -0.3], [0.5, -0.4]],
            1,
            {"the second bolt from the left", "the nearest bolt", "the bolt nearest to you"},
        ),
        ([[0.4, 0.0], [0.6, 0.005], [0.8, 0.0]], 0, {"the nearest bolt", "the bolt nearest to you"}),
        ([[0.4, 0.0], [0.6, 0.005], [0.8, 0.0], [0.9, 0.0]], 1, {"the second nearest bolt", "the third farthest bolt"}),
    ],
)
def test_what_a_person_would_say(positions, target, wanted):
    records = [thing(f"bolt_{i}", "bolt", [*xy, 0.9]) for i, xy in enumerate(positions)]
    said = {Namer(Style(s)).name(f"bolt_{target}", read(records)) for s in range(60)}
    assert said and said <= wanted


def test_margins():
    """1.9 cm is no difference, 2.1 cm is."""
    for gap, clear in ((0.019, False), (0.021, True)):
        known = read([thing("a", "bolt", [0.5, 0.0, 0.9]), thing("b", "bolt", [0.8, gap, 0.9])])
        assert any("right" in form.text.split() for form in forms(known[0], known)) == clear


def test_out_of_view():
    records = [
        thing("seen", "drawer", [0.8, 0, 0.5]),
        thing("behind", "drawer", [-1, 0, 0.5], in_view=False),
        thing("left", "drawer", [0, 1, 0.5], in_view=False),
        thing("mug", "mug", [0, 2, 0.5], in_view=False),
    ]
    names = {n: Namer(Style(3)).name(n, read(records)) for n in ("seen", "behind", "left", "mug")}
    assert names == {
        "seen": "the drawer",
        "behind": "the drawer behind you",
        "left": "the drawer on your left",
        "mug": "the mug",
    }


def test_keeps_its_phrase_while_it_is_true():
    rng, kept = np.random.default_rng(2), 0
    for seed in range(100):
        records = bolts(rng, 5)
        namer = Namer(Style(seed))
        first = namer.name("bolt_0", read(records))
        moved = [{**r, "position": [v + 0.001 for v in r["position"]]} for r in records]
        assert namer.name("bolt_0", read(records)) == first
        if first in {form.text for form in forms(read(moved)[0], read(moved))}:
            assert namer.name("bolt_0", read(moved)) == first
            kept += 1
    assert kept > 90


def test_varies_with_the_seed():
    records = bolts(np.random.default_rng(4), 6)
    counts = []
    for target in read(records):
        said = {Namer(Style(s)).name(target.name, read(records), by_part=True) for s in range(60)}
        assert {meant(phrase, records) for phrase in said} == {(target.name,)}
        counts.append(len(said))
    assert min(counts) >= 2 and max(counts) >= 4


def test_positional_traits_are_refused():
    known = read([thing("a", "drawer", [0.5, 0, 0.9], traits={"place": "top"})])
    with pytest.raises(TermError, match="word of position"):
        Namer(Style(0)).name("a", known)


def test_everything():
    known = read(bolts(np.random.default_rng(0), 3))
    assert everything("bolt", known) == "the bolts"
    with pytest.raises(NotSeenError):
        everything("drawer", known)
