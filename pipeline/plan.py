"""Which episodes a run makes: a pure function of the configuration.

Episode i is slot i, whatever finishes first. Its candidate seeds are seed + i, seed + i + N, seed + i + 2N, ... (N the
number of episodes), so no other slot ever tries them and results do not depend on the order of completion.

Slots go round the levels. Layouts and styles are dealt out one by one, always one of the rarest so far: a layout among
those that have room for the level, overall and with this level; a style overall, then with this level, then with this
layout. So any prefix has every level and every layout in equal numbers, as far as the levels allow, and so has each
level its layouts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Slot:
    """One episode of the plan.

    Attributes:
        index: episode index.
        level: setting -> value.
        layout: kitchen. styles: of the first attempt, and of those after it in turn, as a style's fixtures may leave a
            layout without room for the task.
        first_seed, stride, tries: the candidate seeds, see `seed`.
    """

    index: int
    level: dict[str, Any]
    layout: int
    styles: tuple[int, ...]
    first_seed: int
    stride: int
    tries: int

    def style(self, attempt: int) -> int:
        """Style of the attempt, counted from 0."""
        return self.styles[attempt % len(self.styles)]

    def seed(self, attempt: int) -> int:
        """Seed of the attempt, counted from 0."""
        return self.first_seed + attempt * self.stride


def plan(
    levels: Sequence[dict[str, Any]],
    layouts: Callable[[dict[str, Any]], Sequence[int]],
    styles: Sequence[int],
    episodes: int,
    seed: int,
    tries: int,
) -> list[Slot]:
    """The slots of a run, spread in equal numbers over levels, layouts and styles.

    Args:
        layouts: those that may serve for a level.
    """
    levels = _diagonal(levels)
    dealt: Counter[Any] = Counter()
    slots = []
    for i in range(episodes):
        level = levels[i % len(levels)]
        settings = list(level.items())
        known = layouts(level)
        layout = _deal("layout", known, i, [("level", *settings)], dealt)
        style = _deal("style", styles, i, [("level", *settings), ("layout", layout), *settings], dealt)
        first = styles.index(style)
        ring = (*styles[first:], *styles[:first])
        slots.append(Slot(i, level, layout, ring, seed + i, episodes, tries))
    return slots


def _deal(what: str, values: Sequence[int], i: int, company: Sequence[Any], dealt: Counter[Any]) -> int:
    """One of the rarest values: of all, then with each of the company that it gets, and else the next in line."""

    def cost(position: int) -> tuple[int, ...]:
        value = values[position]
        return (
            dealt[what, value],
            *(dealt[what, value, other] for other in company),
            (position - i) % len(values),
        )

    value = values[min(range(len(values)), key=cost)]
    dealt.update([(what, value), *((what, value, other) for other in company)])
    return value


def _diagonal(levels: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The levels, ordered so that no cycle through them runs in step with one setting.

    In the plain order the last setting changes fastest, and three layouts dealt in turn would each meet a single
    value of it. Here its index is the sum of all indices.
    """
    settings = list(levels[0])
    values = {key: list(dict.fromkeys(level[key] for level in levels)) for key in settings}
    if not settings or math.prod(map(len, values.values())) != len(levels):
        return list(levels)
    last = values[settings[-1]]

    def turned(level: dict[str, Any]) -> dict[str, Any]:
        total = sum(values[key].index(level[key]) for key in settings)
        return {**level, settings[-1]: last[total % len(last)]}

    return [turned(level) for level in levels]
