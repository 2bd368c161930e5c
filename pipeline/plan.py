"""Which episodes a run makes: a pure function of the configuration.

Episode i is slot i, whatever finishes first. Its candidate seeds are seed + i, seed + i + N, seed + i + 2N, ... (N the
number of episodes), so no other slot ever tries them and results do not depend on the order of completion.

Slots go round the levels, and round the layouts with a shift whenever the two cycles would lock:

    level  = i mod L,      layout = (i + i // lcm(L, A)) mod A

so that any prefix has every level and every layout in equal numbers, and so has each level its layouts. Styles are
dealt out one by one, always one of the rarest so far: overall, then with this level, then with this layout.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Slot:
    """One episode of the plan.

    Attributes:
        index: episode index.
        level: setting -> value.
        layout, style: kitchen.
        first_seed, stride, tries: the candidate seeds, see `seed`.
    """

    index: int
    level: dict[str, Any]
    layout: int
    style: int
    first_seed: int
    stride: int
    tries: int

    def seed(self, attempt: int) -> int:
        """Seed of the attempt, counted from 0."""
        return self.first_seed + attempt * self.stride


def plan(
    levels: Sequence[dict[str, Any]],
    layouts: Sequence[int],
    styles: Sequence[int],
    episodes: int,
    seed: int,
    tries: int,
) -> list[Slot]:
    """The slots of a run, spread in equal numbers over levels, layouts and styles."""
    levels = _diagonal(levels)
    shift = math.lcm(len(levels), len(layouts))
    dealt: Counter[Any] = Counter()
    slots = []
    for i in range(episodes):
        level = levels[i % len(levels)]
        layout = layouts[(i + i // shift) % len(layouts)]
        style = _deal(styles, i, level, layout, dealt)
        slots.append(Slot(i, level, layout, style, seed + i, episodes, tries))
    return slots


def _deal(styles: Sequence[int], i: int, level: dict[str, Any], layout: int, dealt: Counter[Any]) -> int:
    settings = list(level.items())

    def cost(position: int) -> tuple[int, ...]:
        style = styles[position]
        return (
            dealt[style],
            dealt["level", *settings, style],
            dealt["layout", layout, style],
            sum(dealt[setting, style] for setting in settings),
            (position - i) % len(styles),
        )

    style = styles[min(range(len(styles)), key=cost)]
    for key in (style, ("level", *settings, style), ("layout", layout, style), *((s, style) for s in settings)):
        dealt[key] += 1
    return style


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
