"""Terms and things: plain data that survives JSON."""

from __future__ import annotations

import json

import pytest

from tasks.terms import Term, Thing


@pytest.mark.parametrize(
    "term",
    [
        Term.of("look"),
        Term.of("slide", part="part_b"),
        Term.of("try_slide", {"direction": [0.0, -1.0], "tried_before": True}, part="part_b"),
        Term.of("deliver", {"count": 2}, item="item", tray="tray", button="submit"),
    ],
)
def test_terms_round_trip(term: Term) -> None:
    assert Term.from_json(json.loads(json.dumps(term.to_json()))) == term


def test_a_term_names_things_by_role() -> None:
    term = Term.of("place", {"count": 1}, item="egg", target="tray")
    assert term.to_json() == {"verb": "place", "things": {"item": "egg", "target": "tray"}, "facts": {"count": 1}}
    assert Term.of("place", item="egg") != Term.of("place", target="egg")
    assert Term.of("place").facts == {}


def test_a_record_does_not_share_data_with_its_term() -> None:
    term = Term.of("try_slide", {"direction": [1.0, 0.0]}, part="part_b")
    record = term.to_json()
    record["facts"]["direction"][0] = 5.0
    record["things"]["part"] = "part_c"
    assert term == Term.of("try_slide", {"direction": [1.0, 0.0]}, part="part_b")
    again = Term.from_json(record)
    record["things"]["part"] = "part_d"
    assert again.things == {"part": "part_c"}


def test_things_round_trip() -> None:
    thing = Thing("part_b", "bolt", (0.61, -0.125, 0.97), {"part": "round black handle"}, "bolts", in_view=False)
    again = Thing.from_json(json.loads(json.dumps(thing.to_json())))
    assert again == thing
    assert isinstance(again.position, tuple)


def test_things_are_in_view_unless_said_otherwise() -> None:
    record = Thing("tray", "tray", (0.5, 0.0, 0.9), {}, "tray").to_json()
    assert record["in_view"] is True
    del record["in_view"]
    assert Thing.from_json(record).in_view
