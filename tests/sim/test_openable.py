"""What opens in a kitchen, and what can hide things."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sim.assets import AssetRoots
from sim.compartment import DRAWER_FLOOR, FLOOR_BAND, hiding_places, stands_free
from sim.kitchen import Box, Fixture, Kitchen
from sim.model import begin_model, finish_model
from sim.openable import DOOR, DRAWER, KINDS, Openable, find_openables

pytestmark = pytest.mark.xdist_group("kitchen17")


@pytest.fixture(scope="module")
def openables(kitchen17: Kitchen) -> dict[str, Openable]:
    return {openable.fixture: openable for openable in find_openables(kitchen17)}


@pytest.fixture(scope="module")
def model(kitchen17: Kitchen, openables: dict[str, Openable], roots: AssetRoots) -> mujoco.MjModel:
    """The kitchen with all its fronts movable."""
    joints = [joint for openable in openables.values() for joint in openable.joints]
    spec = begin_model(kitchen17, roots, (2.0, -1.5, 1.57), keep_joints=joints)
    return mujoco.MjModel.from_xml_string(roots.load(finish_model(spec, roots)))


def test_finds_every_drawer_and_hinged_cabinet(kitchen17: Kitchen, openables: dict[str, Openable]) -> None:
    expected = [f.name for f in kitchen17.fixtures if f.kind in KINDS]
    assert list(openables) == expected
    for fixture in kitchen17.fixtures:
        if fixture.kind in KINDS:
            assert len(openables[fixture.name].fronts) == (2 if fixture.kind == "HingeCabinet" else 1)


def test_joints_and_bars_agree_with_the_model(openables: dict[str, Openable], model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    for openable in openables.values():
        for front in openable.fronts:
            joint = model.joint(front.joint)
            assert front.travel in (pytest.approx(joint.range[0]), pytest.approx(joint.range[1]))
            bar = model.geom(front.bar.geom).id
            assert data.geom_xpos[bar] == pytest.approx(front.bar.centre, abs=1e-4)
            panel = model.geom(front.panel).id
            assert data.geom_xpos[panel] == pytest.approx(front.box.centre, abs=1e-4)
            if front.hinge is not None:
                assert data.xanchor[joint.id][:2] == pytest.approx(front.hinge, abs=1e-4)


def test_fully_open_fronts_have_moved_outward(openables: dict[str, Openable], model: mujoco.MjModel) -> None:
    data = mujoco.MjData(model)
    for openable in openables.values():
        for front in openable.fronts:
            data.qpos[model.joint(front.joint).qposadr[0]] = front.travel
    mujoco.mj_kinematics(model, data)
    for openable in openables.values():
        for front in openable.fronts:
            moved = data.geom_xpos[model.geom(front.bar.geom).id][:2] - np.array(front.bar.centre[:2])
            assert moved @ openable.outward > 0.1
            assert front.opened(front.travel) == abs(front.travel)


def test_bars_lie_across_drawers_and_stand_on_doors(openables: dict[str, Openable]) -> None:
    for openable in openables.values():
        for front in openable.fronts:
            upright = abs(front.bar.axis[2])
            assert upright == pytest.approx(1.0 if openable.kind == DOOR else 0.0, abs=1e-3)
            assert front.bar.gap == pytest.approx(0.0325, abs=0.001)


def test_left_leaf_comes_first(openables: dict[str, Openable]) -> None:
    for openable in openables.values():
        if len(openable.fronts) == 2:
            left, right = (np.array(front.hinge) for front in openable.fronts)
            assert (right - left) @ [np.cos(openable.yaw), np.sin(openable.yaw)] > 0


def test_interiors_lie_inside(openables: dict[str, Openable]) -> None:
    for openable in openables.values():
        heights = [space.bottom for space in openable.interiors]
        assert heights == sorted(heights) and heights
        for space in openable.interiors:
            assert openable.box.bottom < space.bottom < space.top < openable.box.top + 1e-6


def test_hiding_places_are_within_reach(kitchen17: Kitchen) -> None:
    places = hiding_places(kitchen17)
    kinds = [place.openable.kind for place in places]
    assert kinds.count(DRAWER) >= 4 and kinds.count(DOOR) >= 3
    for place in places:
        low = DRAWER_FLOOR if place.openable.kind == DRAWER else FLOOR_BAND[0]
        assert all(low - 0.01 <= space.bottom <= FLOOR_BAND[1] for space in place.spaces)


def test_nothing_hides_under_the_sink_bowl(kitchen17: Kitchen) -> None:
    sink = next(f for f in kitchen17.fixtures if f.kind == "Sink").box
    for place in hiding_places(kitchen17):
        for space in place.spaces:
            apart = np.linalg.norm(np.array(space.centre[:2]) - np.array(sink.centre[:2]))
            assert space.top < sink.bottom or apart > 0.3


def test_an_obstacle_before_a_front_rules_it_out(kitchen17: Kitchen, openables: dict[str, Openable]) -> None:
    drawer = next(place.openable for place in hiding_places(kitchen17))
    x, y = np.array(drawer.box.centre[:2]) + drawer.outward * (drawer.box.half[1] + 0.7)
    bin_ = Fixture("bin", "Accessory", Box((float(x), float(y), 0.3), (0.1, 0.1, 0.3), 0.0), {})
    assert stands_free(kitchen17, drawer)
    assert not stands_free(replace(kitchen17, fixtures=(*kitchen17.fixtures, bin_)), drawer)
