"""The bench's bookkeeping. What it measures is shown by running it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from pipeline import bench as benches
from pipeline.bench import BenchConf, bench
from pipeline.bench_shares import Stopwatch
from pipeline.bench_simulation import motion
from pipeline.bench_table import Finding, table
from pipeline.bench_workers import memory
from pipeline.config import BadInput

FAST = Finding("sim", "a tick", "2.0 ms", "8.0 ms env.step", 4.0, 3.0, note="in turns")
BIG = Finding("memory", "peak", "2.60 GB", ratio=2.6, wanted=2.5, at_most=True)
PLAIN = Finding("shares", "mj_step", "40.0%")


def test_wishes_are_judged():
    assert (FAST.met, BIG.met, PLAIN.met) == (True, False, None)
    assert Finding("sim", "", "", ratio=2.9, wanted=3.0).met is False


def test_table_has_a_row_a_finding():
    lines = table([FAST, BIG, PLAIN]).splitlines()
    assert len({len(line) for line in lines[:5]}) == 1
    assert lines[2].split("|")[5:8] == [" 4.00  ", " >= 3   ", " yes "]
    assert lines[3].split("|")[5:8] == [" 2.60  ", " <= 2.5 ", " NO  "]
    assert lines[-1] == "- sim, a tick: in turns"


def test_bench_prints_writes_and_says_when_a_wish_is_not_met(monkeypatch, tmp_path, capsys):
    measured = []

    def measure(name, conf, folder):
        measured.append(name)
        yield FAST if name == "sim" else BIG

    monkeypatch.setattr(benches, "_measure", measure)
    assert bench(BenchConf(only=["sim"], out=str(tmp_path))) == 0
    assert "| 4.00  |" in capsys.readouterr().out
    record = json.loads((tmp_path / "bench.json").read_text())
    assert record["findings"][0]["met"] is True and record["findings"][0]["ratio"] == 4.0
    assert bench(BenchConf(only=["memory", "sim"])) == 1
    assert measured == ["sim", "sim", "memory"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"only": ["speed"]}, "only=speed is not known"),
        ({"task": "chess"}, "no task 'chess'"),
        ({"layouts": []}, "layouts is empty"),
        ({"episodes": 0}, "episodes=0 is too small"),
        ({"size": 255}, "size=255 cannot be encoded"),
    ],
)
def test_bad_input_is_refused(settings, message):
    with pytest.raises(BadInput, match=message):
        bench(BenchConf(**settings))


def test_times_of_nested_sections_add_up(monkeypatch):
    clock = iter(range(0, 1000, 1))
    monkeypatch.setattr("pipeline.bench_shares.time.process_time", lambda: next(clock))
    watch = Stopwatch()
    inner = watch.timed(lambda x: x + 1, "inner")
    with watch.section("outer"):
        assert inner(1) == 2
        assert inner(2) == 3
    assert watch.seconds == {"outer": 3, "outer: inner": 2}
    with watch.section("outer"), watch.section("nested"):
        inner(3)
    assert watch.seconds == {"outer": 5, "outer: inner": 2, "nested": 2, "nested: inner": 1}


def test_motion_stays_in_the_envelope():
    actions = motion(90)
    assert actions.shape == (90, 12)
    assert np.abs(actions[:, :3]).max() <= 0.3 and np.abs(actions[:, 7:10]).max() <= 0.5
    moves_base = actions[:, 7:10].any(axis=1)
    assert moves_base.any() and not (moves_base & actions[:, :6].any(axis=1)).any()


def test_memory_is_in_gigabytes():
    found = memory()
    assert 0.01 < found["resident"] <= found["peak"] * 1.01 < 100
