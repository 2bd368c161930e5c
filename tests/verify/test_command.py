from __future__ import annotations

import json
import os

import pytest

from verify.command import main, parse
from verify.twins import TwinResult

pytestmark = pytest.mark.usefixtures("toy_words")


def test_a_good_dataset(dataset, capsys):
    before = {p.relative_to(dataset) for p in dataset.rglob("*")}
    assert main([f"dataset={dataset}", "deep=false"]) == 0
    assert "the dataset is sound" in capsys.readouterr().out
    first = (dataset / "verification.json").read_bytes()
    assert {str(p.relative_to(dataset)) for p in dataset.rglob("*")} - set(map(str, before)) == {"verification.json"}
    assert json.loads(first)["ok"]
    assert main([f"dataset={dataset}", "deep=false"]) == 0
    assert (dataset / "verification.json").read_bytes() == first


def test_lerobot_loads_a_verified_dataset(dataset, monkeypatch):
    lerobot_dataset = pytest.importorskip("lerobot.datasets.lerobot_dataset")
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    assert main([f"dataset={dataset}", "deep=false"]) == 0
    loaded = lerobot_dataset.LeRobotDataset("local/toy", root=dataset, video_backend="pyav")
    assert loaded[len(loaded) - 1]["observation.images.wrist"].shape == (3, 64, 64)


def test_a_bad_dataset(dataset, capsys):
    (dataset / "data/stray.txt").write_text("")
    assert main([f"dataset={dataset}", "deep=false"]) == 1
    assert "data/stray.txt does not belong there" in capsys.readouterr().out
    record = json.loads((dataset / "verification.json").read_text())
    assert record["checks"]["files"] == ["data/stray.txt does not belong there"]
    assert not record["ok"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give either dataset="),
        (["dataset=x", "twins=1"], "give either dataset="),
        (["dataset=/no/such/folder", "render=false"], "there is no folder"),
        (["datset=x"], "is not a setting"),
        (["dataset=x", "workers=two"], "whole number"),
        (["dataset=x", "workers=0"], "at least 1"),
        (["dataset=x", "deep=perhaps"], "true or false"),
        (["dataset=x", "render.gl=metal"], "is one of auto"),
        (["twins=2"], "need a task"),
        (["twins=2", "task=chess"], "there is no task 'chess'"),
        (["dataset=x", "kitchen.assets=/no/such/folder"], "not a folder of RoboCasa assets"),
    ],
)
def test_bad_input_is_one_sentence(arguments, sentence, capsys):
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_settings():
    settings = parse(["dataset=a=b", "workers=2", "render=none", "kitchen.assets=x"])
    assert (settings.dataset, settings.workers, settings.render, settings.assets) == ("a=b", 2, False, "x")


@pytest.mark.parametrize(("problem", "code"), [("", 0), ("it peeked", 1)])
def test_twins(monkeypatch, kitchen, capsys, problem, code):
    monkeypatch.setattr("sim.kitchen.compose", lambda *_: kitchen)
    monkeypatch.setattr("verify.twins.run_twins", lambda *_: TwinResult(problem, 3, "then", 5, (9, 9)))
    assert main(["twins=2", "task=toy"]) == code
    out = capsys.readouterr().out
    assert out.count("3 decisions compared") == 2
    assert problem in out
    assert f"{0 if problem else 2} of 2 pairs" in out
