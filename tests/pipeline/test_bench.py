"""The bench's bookkeeping. What it measures is shown by running it."""

from __future__ import annotations

import json
from typing import ClassVar

import numpy as np
import pytest

from pipeline import bench as benches
from pipeline import bench_scene, bench_workers
from pipeline.bench import BenchConf, bench
from pipeline.bench_shares import Stopwatch
from pipeline.bench_simulation import motion
from pipeline.bench_table import Finding, table
from pipeline.bench_workers import BenchError, memory
from pipeline.config import BadInput
from pipeline.pool import Kind, Result
from pipeline.simulate import SimulateJob
from tasks.base import SamplingError

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


def test_a_part_that_fails_is_a_row_and_the_others_are_kept(monkeypatch, tmp_path, capsys):
    def measure(name, conf, folder):
        yield FAST
        if name == "workers":
            raise SamplingError(f"no room in {tmp_path}/kitchen.xml")

    monkeypatch.setattr(benches, "_measure", measure)
    assert bench(BenchConf(only=["sim", "workers", "memory"], out=str(tmp_path))) == 1
    said = capsys.readouterr().out
    assert said.count("| 4.00  |") == 3
    assert "SamplingError: no room in kitchen.xml (bench.py:" in said
    found = json.loads((tmp_path / "bench.json").read_text())["findings"]
    assert [(f["part"], f["what"], f["met"]) for f in found if f["failed"]] == [("workers", "failed", False)]
    assert len(found) == 4


def test_an_interrupted_bench_ends(monkeypatch):
    def measure(name, conf, folder):
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(benches, "_measure", measure)
    with pytest.raises(KeyboardInterrupt):
        bench(BenchConf(only=["sim"]))


class Choosy:
    """A task for which few seeds give an instance."""

    def __init__(self, good):
        self.good, self.tried = good, []

    def sample(self, seed, level, kitchen):
        self.tried.append((seed, kitchen))
        if seed not in self.good:
            raise SamplingError(f"decor stands in the way of {seed}")
        return f"instance {seed}"


def test_the_next_seed_that_gives_an_instance_is_taken(monkeypatch):
    monkeypatch.setattr(bench_scene, "compose", lambda kitchen, roots: kitchen)
    task = Choosy({307})
    assert bench_scene.first_scene(task, 12, {}, None, seed=7).instance == "instance 307"
    assert [seed for seed, _ in task.tried] == [kitchen.seed for _, kitchen in task.tried] == [7, 107, 207, 307]
    assert [kitchen.style for _, kitchen in task.tried] == [8, 9, 10, 1]
    with pytest.raises(SamplingError, match=r"none of 20 seeds from 0 .* in the way of 1900"):
        bench_scene.first_scene(Choosy({307}), 12, {}, None)


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


class PoolOfOne:
    """Calls at once, in this process, what `pipeline.pool.Pool` sends to a worker."""

    made: ClassVar[list[int]] = []
    asked: ClassVar[list[object]] = []

    def __init__(self, cluster, workers, limits):
        self.made.append(workers)
        self.free, self._done = workers, []

    @property
    def busy(self):
        return len(self._done)

    def submit(self, key, function, argument, *, marker, limit):
        number = len(self.made)
        value = {"ticks": 10, "success": True, "seed": 200, "style": 3, "resident": 1.0 + number / 10, "peak": 1.5}
        broken = argument.seed == 3
        self.asked.append(argument)
        self._done.append((key, Result(Kind.ERROR, detail="it broke") if broken else Result(Kind.DONE, value)))

    def wait(self, timeout):
        done, self._done = self._done, []
        return done[::-1]

    def close(self):
        pass


def test_workers_and_memory_from_what_the_calls_return(monkeypatch, tmp_path):
    monkeypatch.setattr(bench_workers, "Pool", PoolOfOne)
    PoolOfOne.made.clear()
    PoolOfOne.asked.clear()
    steady, whole = bench_workers.measure_speed(tmp_path, "puzzle_box", 12, 3)
    assert PoolOfOne.made == [1, 2]
    assert [job.seed for job in PoolOfOne.asked] == [0, 200, 200, 200, 0, 0, 200, 200, 200]
    whole_jobs = [job for job in PoolOfOne.asked if isinstance(job, SimulateJob)]
    assert len({job.target for job in whole_jobs}) == len(whole_jobs) == 6
    assert {job.style for job in whole_jobs} == {3}
    assert steady.wanted == 1.7 and "(30 ticks in all, 3 successes)" in steady.note and whole.wanted is None
    peak, growth = bench_workers.measure_memory(tmp_path, "puzzle_box", [12, 25], 3, 50)
    assert [(job.layout, job.seed) for job in PoolOfOne.asked[-3:]] == [(12, 0), (25, 1), (12, 2)]
    assert (peak.ratio, peak.met) == (1.5, True)
    assert growth.ratio == 0.0 and growth.ours == "1.30 GB after 1, 1.30 GB after 3"
    with pytest.raises(BenchError, match="it broke"):
        list(bench_workers.measure_memory(tmp_path, "puzzle_box", [12], 4, 50))
