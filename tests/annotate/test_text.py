"""Verbs in words: every verb has three wordings, facts are said truly, unseen things are not named."""

from __future__ import annotations

import re

import numpy as np
import pytest
from caption_scenes import bolts, thing

from annotate.english import direction, heading, plural
from annotate.errors import NotSeenError, TermError, UnknownVerbError
from annotate.puzzle_box import VERBS as PUZZLE
from annotate.refer import Namer
from annotate.style import Style
from annotate.text import LONGEST, say, verbs_of
from annotate.verbs import VERBS
from tasks.terms import Term, Thing

KNOWN = [
    Thing.from_json(record)
    for record in (
        *bolts(np.random.default_rng(1), 5),
        thing("box", "puzzle box", [0.6, 0, 0.9]),
        thing("lid", "lid", [0.6, 0, 0.95]),
        thing("tray", "tray", [0.6, 0.5, 0.9]),
        thing("button", "SUBMIT button", [0.5, -0.5, 0.9]),
        thing("drawer", "drawer", [0.7, 0.2, 0.6]),
        thing("candle", "candle", [0.6, 0.1, 0.9]),
    )
]
TOWARDS = {"direction": [-1.0, 0.0]}
USES = [
    Term.of("study", box="box"),
    Term.of("free_bolts", box="box"),
    Term.of("free_bolts", {"freed": 0}, box="box"),
    Term.of("free_bolts", {"freed": 2}, box="box"),
    Term.of("take_out", item="candle", box="box"),
    Term.of("take_out", item="unseen", box="box"),
    Term.of("deliver", item="candle", tray="tray", button="button"),
    Term.of("look"),
    Term.of("look", at="box"),
    Term.of("look_into", at="drawer"),
    Term.of("try_slide", part="bolt_1"),
    Term.of("try_slide", TOWARDS, part="bolt_1"),
    Term.of("try_slide", {"tried_before": True}, part="bolt_1"),
    Term.of("try_slide", {"tried_before": False, **TOWARDS}, part="bolt_1"),
    Term.of("try_slide", {"tried_before": True, **TOWARDS}, part="bolt_1"),
    Term.of("slide_back", part="bolt_1"),
    Term.of("push_back", part="bolt_1"),
    Term.of("step_aside", TOWARDS),
    Term.of("open", lid="lid"),
    Term.of("open", TOWARDS, lid="lid"),
    Term.of("open", place="drawer"),
    Term.of("take", item="candle"),
    Term.of("take", item="candle", source="box"),
    Term.of("place", item="candle", target="tray"),
    Term.of("press", button="button"),
    Term.of("drive", to="drawer"),
    Term.of("search", place="drawer"),
    Term.of("close", place="drawer"),
    Term.of("lift", cover="lid"),
]


def words(term, seed, known=KNOWN):
    return say(term, known, Namer(Style(seed)), verbs_of("puzzle_box"))


@pytest.mark.parametrize("term", USES, ids=lambda t: "-".join([t.verb, *t.things, *t.facts]))
def test_each_use_has_three_wordings(term):
    texts = {words(term, seed) for seed in range(60)}
    assert (
        len(
            {
                re.sub(
                    r"(the [a-z ]*?)?(bolt|handle)( nearest to you| farthest from you| from the left| from the right)?",
                    "_",
                    text,
                )
                for text in texts
            }
        )
        >= 3
    )
    for text in texts:
        assert text[0].isupper() and text[-1] not in ". " and "{" not in text and "[" not in text
        assert len(text) <= LONGEST
        assert words(term, 5) == words(term, 5)


def test_the_table_holds_no_verb_that_is_not_tried():
    assert {term.verb for term in USES} == set(VERBS) | set(PUZZLE)


def test_no_two_verbs_share_a_wording():
    verbs = {}
    for verb, templates in verbs_of("puzzle_box").items():
        for template in templates:
            wording = re.sub(r"\{[^}]*\}", "_", re.sub(r" ?\{(direction|heading)\}", "", template))
            assert verbs.setdefault(wording, verb) == verb, wording


def test_facts_are_said():
    for seed in range(30):
        assert "towards you" in words(Term.of("try_slide", TOWARDS, part="bolt_1"), seed)
        assert words(Term.of("step_aside", {"direction": [0, -2]}), seed).endswith("to the right")
        assert " two " in words(Term.of("free_bolts", {"freed": 2}, box="box"), seed)
        again = words(Term.of("try_slide", {"tried_before": True}, part="bolt_1"), seed)
        assert re.search("again|once more|this time", again)
        assert not re.search("again|once more|this time", words(Term.of("try_slide", part="bolt_1"), seed))


def test_what_is_inside_has_no_name_before_it_is_seen():
    unseen = [t for t in KNOWN if t.name != "candle"]
    for seed in range(30):
        text = words(Term.of("take_out", item="candle", box="box"), seed, unseen)
        assert "candle" not in text and "what is inside" in text
        with pytest.raises(NotSeenError, match="candle"):
            words(Term.of("take", item="candle", source="box"), seed, unseen)


def test_bolts_have_to_be_seen():
    with pytest.raises(NotSeenError):
        words(Term.of("free_bolts", box="box"), 0, [t for t in KNOWN if t.noun != "bolt"])


def test_a_sentence_does_not_stumble():
    """No "the bolt farthest from you away from you" when there is another way to say it."""
    known = [Thing.from_json(r) for r in bolts(np.random.default_rng(3), 4)]
    for seed in range(60):
        for k in range(4):
            for way in ([1, 0], [0, 1], [-1, 0]):
                text = words(Term.of("try_slide", {"direction": way}, part=f"bolt_{k}"), seed, known)
                assert not re.search(r"you (away from|towards) you|the left to the left", text), text


def test_unknown_verbs_and_roles():
    with pytest.raises(UnknownVerbError, match="'juggle'"):
        words(Term.of("juggle", item="candle"), 0)
    with pytest.raises(UnknownVerbError, match="roles"):
        words(Term.of("press", lid="lid"), 0)


def test_a_task_may_have_no_verbs_of_its_own():
    assert verbs_of("no_such_task") == VERBS
    assert verbs_of("search_room").items() >= VERBS.items()
    assert "carry" in verbs_of("search_room")


@pytest.mark.parametrize(
    ("vector", "moved", "moving"),
    [
        ((1, 0), "away from you", "forward"),
        ((-3, 0.1), "towards you", "back"),
        ((0, 1), "to the left", "to the left"),
        ((0.5, -1), "to the right", "to the right"),
        ((1, 1), "away from you and to the left", "forward and to the left"),
        ((-1, -1), "towards you and to the right", "back and to the right"),
    ],
)
def test_directions(vector, moved, moving):
    assert (direction(vector), heading(vector)) == (moved, moving)


def test_no_direction():
    with pytest.raises(TermError):
        direction((0.0, 0.0))


def test_plurals():
    nouns = ("bolt", "puzzle box", "shelf", "tray", "lily", "tomato", "knife", "glass")
    assert [plural(n) for n in nouns] == [
        "bolts",
        "puzzle boxes",
        "shelves",
        "trays",
        "lilies",
        "tomatoes",
        "knives",
        "glasses",
    ]
