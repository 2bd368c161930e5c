from __future__ import annotations

import numpy as np
import pytest

from verify.envelope import check_actions


@pytest.fixture
def actions():
    rows = np.zeros((6, 12), np.float32)
    rows[:, 6] = rows[:, 11] = -1
    rows[0, 0:3] = 0.3
    rows[1, 3:6] = -0.24
    rows[2, 7:10], rows[2, 11] = 0.5, 1
    return rows


def test_the_limits_themselves_are_allowed(actions):
    assert check_actions(actions) == ""


@pytest.mark.parametrize(
    ("tick", "axis", "value", "message"),
    [
        (0, 1, 0.301, "outside ±0.30"),
        (1, 4, -0.25, "outside ±0.24"),
        (2, 9, 0.51, "outside ±0.50"),
        (3, 6, 1.01, "outside ±1.00"),
        (4, 10, np.nan, "not finite"),
        (2, 0, 0.001, "at once"),
        (2, 11, -1, "without base mode"),
    ],
)
def test_each_limit_is_enforced(actions, tick, axis, value, message):
    actions[tick, axis] = value
    problem = check_actions(actions)
    assert message in problem
    assert f"action {tick}" in problem


def test_form(actions):
    assert "float64" in check_actions(actions.astype(np.float64))
    assert "(6, 11)" in check_actions(actions[:, :11])
    assert check_actions(actions[:0]) == "there are no actions"
