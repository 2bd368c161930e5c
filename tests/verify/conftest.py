"""What the tests of verify/ share: the toy's words, its model and one good recording."""

from __future__ import annotations

import copy

import pytest
from verify_toy import Row, Toy, ToyOracle, instance

import annotate.timeline
import tasks
import verify.captions
from oracles.runner import run_episode
from sim.assets import asset_roots
from sim.kitchen import Kitchen, KitchenId, compose
from sim.recording import Recording


@pytest.fixture(scope="session", autouse=True)
def toy_words():
    """Captions for the toy's two verbs, in the place of the real vocabulary."""

    def words(record, timeline):
        return [Row(r["start"], r["end"], r["stage"]["verb"], f"{r['subtask']['verb']} it") for r in timeline]

    def check(record, timeline, rows):
        return [f"{row.subtask!r} says nothing" for row in rows if "nothing" in row.subtask]

    patch = pytest.MonkeyPatch()
    patch.setattr(annotate.timeline, "captions", words)
    patch.setattr(verify.captions, "check_captions", check)
    real = tasks.load_task
    patch.setattr(tasks, "load_task", lambda name: Toy() if name == "toy" else real(name))
    yield
    patch.undo()


@pytest.fixture(scope="session")
def roots():
    return asset_roots()


@pytest.fixture(scope="session")
def kitchen(roots) -> Kitchen:
    return compose(KitchenId(12, 1), roots)


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
