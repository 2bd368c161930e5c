"""Seen: enough pixels, bright enough, in one camera; and looking changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest

from oracles import eyes as module
from oracles.eyes import MIN_PIXELS, SIZE, Eyes
from sim.camera import CAMERAS, Renderer
from sim.contact import subtree
from sim.world import World
from tests.bench import still

LEFT, RIGHT, WRIST = CAMERAS


class FakeRenderer:
    """Pictures made by hand: camera -> geom -> (pixels, grey level)."""

    scene: ClassVar[dict[str, dict[int, tuple[int, float]]]] = {}
    open = 0

    def __init__(self, model: Any, size: int) -> None:
        assert size == SIZE
        FakeRenderer.open += 1

    def segmentation(self, data: Any, camera: str) -> np.ndarray:
        shown = np.full((SIZE, SIZE), -1, np.int32)
        for row, (geom, (pixels, _)) in enumerate(self.scene.get(camera, {}).items()):
            shown.reshape(-1)[row * 10_000 : row * 10_000 + pixels] = geom
        return shown

    def rgb(self, data: Any, camera: str) -> np.ndarray:
        grey = np.zeros((SIZE, SIZE, 3))
        for row, (pixels, level) in enumerate(self.scene.get(camera, {}).values()):
            grey.reshape(-1, 3)[row * 10_000 : row * 10_000 + pixels] = level
        return grey

    def close(self) -> None:
        FakeRenderer.open -= 1


@pytest.fixture
def look(monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, int]]:
    """Looks at a scene made by hand, in which geom 5 is the cup and 6 and 7 are the lamp."""
    monkeypatch.setattr(module, "Renderer", FakeRenderer)
    world = SimpleNamespace(model=SimpleNamespace(ngeom=9), judged=lambda: None)

    def seen(scene: dict[str, dict[int, tuple[int, float]]], dark: bool = False, **settings: Any) -> dict[str, int]:
        monkeypatch.setattr(FakeRenderer, "scene", scene)
        with Eyes(world, dark) as eyes:
            return eyes.seen({"cup": [5], "lamp": [6, 7]}, **settings)

    return seen


def test_enough_pixels(look) -> None:
    assert look({LEFT: {5: (MIN_PIXELS, 200)}}) == {"cup": 150}
    assert look({LEFT: {5: (MIN_PIXELS - 1, 200)}}) == {}
    assert look({LEFT: {5: (80, 200)}}, min_pixels=80) == {"cup": 80}
    assert look({}) == {}


def test_pixels_of_one_camera_count_and_not_their_sum(look) -> None:
    assert look({LEFT: {5: (149, 200)}, RIGHT: {5: (149, 200)}, WRIST: {5: (149, 200)}}) == {}
    assert look({LEFT: {5: (160, 200)}, WRIST: {5: (400, 200)}, RIGHT: {5: (170, 200)}}) == {"cup": 400}


def test_the_geoms_of_a_thing_count_together(look) -> None:
    assert look({RIGHT: {6: (100, 200), 7: (60, 200)}}) == {"lamp": 160}


def test_bright_enough(look) -> None:
    assert look({LEFT: {5: (500, 25)}}) == {"cup": 500}
    assert look({LEFT: {5: (500, 24)}}) == {}
    assert look({LEFT: {5: (500, 3)}}, dark=True) == {"cup": 500}
    assert look({LEFT: {5: (500, 2)}}, dark=True) == {}


def test_brightness_is_of_the_thing_and_not_of_the_picture(look) -> None:
    assert look({LEFT: {5: (500, 2), 6: (9000, 255)}}) == {"lamp": 9000}


def test_a_camera_that_shows_more_in_the_dark_does_not_hide_one_that_shows_it_lit(look) -> None:
    assert look({LEFT: {5: (200, 90)}, RIGHT: {5: (900, 2)}}) == {"cup": 200}
    assert look({LEFT: {5: (900, 2)}, RIGHT: {5: (200, 90)}}) == {"cup": 200}


def test_only_the_cameras_asked_for(look) -> None:
    scene = {LEFT: {5: (500, 90)}, WRIST: {6: (500, 90)}}
    assert look(scene, cameras=[WRIST]) == {"lamp": 500}


def test_the_renderer_is_freed(look) -> None:
    look({LEFT: {5: (500, 90)}})
    assert FakeRenderer.open == 0
    Eyes(None).close()


@pytest.mark.xdist_group("kitchen17")
def test_pixels_are_those_of_the_cameras_and_looking_changes_nothing(box_world: World) -> None:
    world, model = box_world, box_world.model
    world.reset()
    things = {name: subtree(model, model.body(name).id) for name in ("box", "tray", "submit", "item", "lid")}
    before = world.physics_state()
    with Eyes(world) as eyes, Renderer(model, SIZE) as renderer:
        seen = eyes.seen(things)
        pictures = [renderer.segmentation(world.judged(), camera) for camera in CAMERAS]
    expected = {n: max(int(np.isin(p, sorted(geoms)).sum()) for p in pictures) for n, geoms in things.items()}
    assert seen == {name: pixels for name, pixels in expected.items() if pixels >= MIN_PIXELS}
    assert {"box", "lid"} <= set(seen)
    assert expected["item"] == 0
    np.testing.assert_array_equal(world.physics_state(), before)
    world.tick(still())
    after = world.physics_state()
    world.reset()
    world.tick(still())
    np.testing.assert_array_equal(world.physics_state(), after)
