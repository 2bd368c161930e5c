"""What the tests of verify/ share: the toy's words, its model and one good recording."""

from __future__ import annotations

import copy

import pytest
import verify_dataset
from verify_toy import Row, Toy, ToyOracle, instance

import annotate.timeline
import tasks
import verify.captions
from oracles.runner import run_episode
from sim.kitchen import Kitchen
from sim.recording import Recording


@pytest.fixture
def toy_words(monkeypatch):
    """The toy becomes a task, with captions for its verbs in the place of the real vocabulary."""

    def words(record, timeline):
        return [Row(r["start"], r["end"], r["stage"]["verb"], f"{r['subtask']['verb']} it") for r in timeline]

    def check(record, timeline, rows):
        return [f"{row.subtask!r} says nothing" for row in rows if "nothing" in row.subtask]

    monkeypatch.setattr(annotate.timeline, "captions", words)
    monkeypatch.setattr(verify.captions, "check_captions", check)
    real = tasks.load_task
    monkeypatch.setattr(tasks, "load_task", lambda name: Toy() if name == "toy" else real(name))


@pytest.fixture(scope="session")
def kitchen(kitchen17) -> Kitchen:
    return kitchen17


@pytest.fixture(scope="session")
def stored(kitchen, roots) -> str:
    return Toy().model(instance(), kitchen, roots)


@pytest.fixture(scope="session")
def good(stored, roots) -> Recording:
    """A recording that passes every check. Do not change it; see `changed`."""
    return run_episode(Toy(), ToyOracle(), instance(), stored, roots)


@pytest.fixture
def changed(good):
    """A copy of the good recording, free to be spoilt."""
    return copy.deepcopy(good)


@pytest.fixture(scope="session")
def drawn(good, stored, roots):
    """Two recordings with their state vectors and pictures."""
    other = run_episode(Toy(), ToyOracle(), instance(seed=2, lift=0.3), stored, roots)
    return [(recording, *verify_dataset.draw(recording, roots)) for recording in (good, other)]


@pytest.fixture
def dataset(drawn, toy_words, tmp_path):
    """A good dataset, free to be spoilt."""
    verify_dataset.write(tmp_path / "toy", tmp_path / "work", drawn, "lerobot")
    return tmp_path / "toy"
