"""Instances, streams and levels: what identifies a problem, and what refuses to be one."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tasks
from sim.kitchen import KitchenId
from tasks import TEN, UnknownTaskError, load_task, task_names
from tasks.base import EVAL_STYLES, STREAMS, TRAIN_STYLES, Instance, UnknownLevelError, streams
from tests.bench import Bench

PINNED = {"scene": 483391, "structure": 199306, "poses": 28331, "materials": 155952, "wording": 338258}
SPEC = {"xy": [0.25, -0.1], "order": ["b", "a"], "n": 3}


def instance(**changes: Any) -> Instance:
    base = Instance("bench", "1", 7, {"side": "left", "count": 2}, "train", KitchenId(17, 3), SPEC, "Press.")
    return replace(base, **changes)


CHANGES: list[dict[str, Any]] = [
    {"task": "other"},
    {"version": "2"},
    {"seed": 8},
    {"level": {"side": "right", "count": 2}},
    {"level": {"side": "left", "count": 2, "more": 0}},
    {"split": "eval"},
    {"kitchen": KitchenId(12, 3)},
    {"kitchen": KitchenId(17, 4)},
    {"kitchen": KitchenId(17, 3, 1)},
    {"spec": {**SPEC, "xy": [0.25, -0.1000000001]}},
    {"spec": {**SPEC, "order": ["a", "b"]}},
    {"goal": "Press!"},
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_id_changes_with_any_field(change: dict[str, Any]) -> None:
    assert instance(**change).instance_id != instance().instance_id


def test_all_changes_give_different_ids() -> None:
    assert len({instance(**change).instance_id for change in CHANGES}) == len(CHANGES)


def test_the_id_is_of_the_content_and_not_of_the_order_of_keys() -> None:
    shuffled = instance(spec=dict(reversed(SPEC.items())), level={"count": 2, "side": "left"})
    assert shuffled.instance_id == instance().instance_id == "091f9c30ee0591a2"


def test_json_round_trip() -> None:
    text = json.dumps(instance().to_json())
    again = Instance.from_json(json.loads(text))
    assert again == instance()
    assert again.instance_id == instance().instance_id
    assert json.dumps(again.to_json()) == text


@pytest.mark.parametrize(
    "path", [["seed"], ["goal"], ["split"], ["spec", "n"], ["kitchen", "style"], ["level", "count"]]
)
def test_a_record_that_was_changed_is_refused(path: list[str]) -> None:
    record = copy.deepcopy(instance().to_json())
    place = record
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = 5 if isinstance(place[path[-1]], int) else "other"
    with pytest.raises(ValueError, match=f"instance {instance().instance_id} was changed: its content has id"):
        Instance.from_json(record)


def test_a_record_with_another_id_is_refused() -> None:
    with pytest.raises(ValueError, match="instance 0000 was changed"):
        Instance.from_json({**instance().to_json(), "instance_id": "0000"})


def test_what_json_cannot_hold_is_no_instance() -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        instance(spec={"x": float("nan")})
    with pytest.raises(TypeError):
        instance(spec={"x": np.zeros(2)})


def test_streams_are_stable() -> None:
    """Pinned, because every published instance depends on them."""
    drawn = {name: int(rng.integers(1_000_000)) for name, rng in streams("puzzle_box", 3).items()}
    assert tuple(drawn) == STREAMS
    assert drawn == PINNED


def test_streams_do_not_disturb_each_other() -> None:
    one, two = streams("puzzle_box", 3), streams("puzzle_box", 3)
    one["wording"].random(1000)
    one["scene"].spawn(3)
    np.testing.assert_array_equal(one["poses"].random(20), two["poses"].random(20))
    np.testing.assert_array_equal(one["structure"].spawn(1)[0].random(5), two["structure"].spawn(1)[0].random(5))


def test_every_stream_of_every_task_and_seed_is_another_one() -> None:
    drawn = [
        float(rng.random())
        for task in ("puzzle_box", "stamps")
        for seed in (0, 1, 2)
        for rng in streams(task, seed).values()
    ]
    assert len(set(drawn)) == len(drawn) == 30


def test_all_levels_in_a_fixed_order() -> None:
    levels = Bench.all_levels()
    assert levels == [{"side": s, "count": c} for s in ("left", "right") for c in (1, 2, 3)]
    assert Bench.select_levels({}) == levels


def test_levels_are_selected_by_setting() -> None:
    assert Bench.select_levels({"count": 2}) == [{"side": "left", "count": 2}, {"side": "right", "count": 2}]
    assert Bench.select_levels({"count": 3, "side": "right"}) == [{"side": "right", "count": 3}]


def test_levels_that_do_not_exist() -> None:
    with pytest.raises(UnknownLevelError) as caught:
        Bench.select_levels({"depth": 1})
    assert str(caught.value) == "bench has no level setting 'depth'; it has side, count"
    with pytest.raises(UnknownLevelError) as caught:
        Bench.select_levels({"count": 4})
    assert str(caught.value) == "bench has no level count=4; count is one of 1, 2, 3"


def test_tasks_are_found_by_name() -> None:
    assert set(task_names()) <= set(TEN)
    assert list(task_names()) == [name for name in TEN if name in task_names()]
    for name in task_names():
        assert load_task(name).name == name


@pytest.mark.parametrize("name", ["puzzle", "", "base", "props", "../tasks"])
def test_an_unknown_task_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(UnknownTaskError, match=r"^there is no task .*; there are .*puzzle_box"):
        tasks.load_task(name)


def test_eval_styles_are_kept_apart() -> None:
    assert not set(TRAIN_STYLES) & set(EVAL_STYLES)
    for name in task_names():
        layouts = load_task(name).layouts
        assert not set(layouts["train"]) & set(layouts["eval"])
        assert all(KitchenId(layout, 1) for split in layouts.values() for layout in split)
