"""The painted tray: marks without a body, and what is inside or overlaps."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from tasks.props.pool import KINDS, PoolObject, add_pool_object
from tasks.props.tray_mark import HALF, LEVEL, SHRINK, SLOTS, add_tray_mark, inside, overlaps

AT, YAW = np.array([1.0, 2.0, 0.9]), 0.5
RADIUS = 0.034


@pytest.fixture(scope="module")
def scene() -> tuple[mujoco.MjModel, mujoco.MjData]:
    spec = mujoco.MjSpec()
    add_tray_mark(spec, AT, YAW)
    add_pool_object(spec, PoolObject("tin", "green"), AT, YAW)
    model = spec.compile()
    return model, mujoco.MjData(model)


def judged(scene, x: float, y: float, z: float = 0.0) -> tuple[bool, bool]:
    model, data = scene
    c, s = np.cos(YAW), np.sin(YAW)
    data.qpos[:3] = AT + [c * x - s * y, s * x + c * y, z]
    mujoco.mj_forward(model, data)
    ids = model.body("tray").id, model.body("tin_green").id
    return inside(model, data, *ids), overlaps(model, data, *ids)


def test_the_marks_are_seen_and_not_felt(scene) -> None:
    model, _ = scene
    tray = [g for g in range(model.ngeom) if model.geom_bodyid[g] == model.body("tray").id]
    assert len(tray) == 8
    assert not any(model.geom_contype[g] or model.geom_conaffinity[g] or model.geom_group[g] != 1 for g in tray)
    reach = [np.abs(model.geom_pos[g]) + model.geom_size[g] for g in tray]
    np.testing.assert_allclose(np.max(reach, axis=0)[:2], HALF)


@pytest.mark.parametrize("sign", [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_inside_is_whole_and_overlap_is_any_part(scene, sign: tuple[int, int]) -> None:
    edge = HALF - SHRINK - RADIUS
    at = lambda distance: (sign[0] * distance, sign[1] * distance)  # noqa: E731
    assert judged(scene, *at(edge - 0.001)) == (True, True)
    assert judged(scene, *at(edge + 0.001)) == (False, True)
    assert judged(scene, *at(HALF + RADIUS - 0.001)) == (False, True)
    assert judged(scene, *at(HALF + RADIUS + 0.001)) == (False, False)


def test_only_what_is_near_the_level_counts(scene) -> None:
    for height, expected in ((LEVEL[0] - 1e-3, False), (LEVEL[0] + 1e-3, True), (LEVEL[1] - 1e-3, True), (0.07, False)):
        assert judged(scene, 0.0, 0.0, height) == (expected, expected)


def test_the_slots_hold_any_object_with_room_between() -> None:
    radius = max(np.hypot(figures.size[0], figures.size[1]) / 2 for figures in KINDS.values())
    for count, slots in SLOTS.items():
        assert len(slots) == count
        assert all(max(map(abs, slot)) + radius < HALF - SHRINK for slot in slots)
        for k, a in enumerate(slots):
            assert all(np.hypot(a[0] - b[0], a[1] - b[1]) > 2 * radius for b in slots[:k])
