"""OpenGL and threads are chosen before any test module imports mujoco. What many modules share is built here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sim.gl import setup_gl

setup_gl()

if TYPE_CHECKING:
    from sim.assets import AssetRoots
    from sim.kitchen import Kitchen
    from sim.recording import Recording
    from sim.world import World
    from tasks.base import Instance
    from tasks.puzzle_box.task import PuzzleBox

LAYOUT_WITHOUT_ROOM = 14


@pytest.fixture(scope="session")
def roots() -> AssetRoots:
    """The stand-in pack."""
    from sim.assets import asset_roots

    return asset_roots()


@pytest.fixture(scope="session")
def kitchen17(roots: AssetRoots) -> Kitchen:
    """The kitchen that most tests share: layout 17, style 3, decor seed 0."""
    from sim.kitchen import KitchenId, compose

    return compose(KitchenId(17, 3), roots)


@pytest.fixture(scope="session")
def small_kitchen(roots: AssetRoots) -> Kitchen:
    """A kitchen in which no work top is large enough for a task."""
    from sim.kitchen import KitchenId, compose

    return compose(KitchenId(LAYOUT_WITHOUT_ROOM, 3), roots)


@pytest.fixture(scope="session")
def bench_xml(kitchen17: Kitchen, roots: AssetRoots) -> str:
    """The stored model of the bench: see tests.bench."""
    from tests.bench import bench_model

    return bench_model(kitchen17, roots)


@pytest.fixture(scope="session")
def bench_world(bench_xml: str, roots: AssetRoots) -> World:
    """A bench that tests share; each begins with a reset or with a state of its own."""
    from sim.world import World

    return World(bench_xml, roots)


@pytest.fixture(scope="session")
def puzzle_box() -> PuzzleBox:
    """The task."""
    from tasks import load_task

    return load_task("puzzle_box")


@pytest.fixture(scope="session")
def covered_box(puzzle_box: PuzzleBox, kitchen17: Kitchen) -> Instance:
    """A chain of four under a full cover."""
    return puzzle_box.sample(0, {"chain": 4, "cover": "full"}, kitchen17)


@pytest.fixture(scope="session")
def box_world(puzzle_box: PuzzleBox, covered_box: Instance, kitchen17: Kitchen, roots: AssetRoots) -> World:
    """The world of `covered_box`, shared like `bench_world`."""
    return puzzle_box.world(covered_box, puzzle_box.model(covered_box, kitchen17, roots), roots)


@pytest.fixture(scope="session")
def episode(puzzle_box: PuzzleBox, kitchen17: Kitchen, roots: AssetRoots) -> Recording:
    """One whole episode of the Puzzle Box oracle: a chain of four without a cover. Takes about half a minute."""
    from oracles import load_oracle
    from oracles.runner import run_episode

    instance = puzzle_box.sample(0, {"chain": 4, "cover": "none"}, kitchen17)
    model = puzzle_box.model(instance, kitchen17, roots)
    return run_episode(puzzle_box, load_oracle("puzzle_box"), instance, model, roots)
