"""The no-peeking test: two instances that look the same must be treated the same for as long as they look the same.

An oracle logs every choice with what it knew (`Session.decide`). The logs of an instance and its twin are walked in
step: while the evidence is equal, so must be the question, the options and the choice. After the first difference in
evidence anything goes. This is the only place of `verify/` that starts an oracle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np

from sim.assets import AssetRoots
from sim.recording import Recording
from tasks.base import Instance, SamplingError, Task

SEEDS_PER_PAIR = 20


class TwinError(ValueError):
    """There is no pair of twins to compare."""


@dataclass(frozen=True)
class TwinResult:
    """How two runs compare.

    Attributes:
        problem: one sentence, '' if the oracle did not peek.
        compared: number of decisions taken with equal evidence.
        diverged: what was to be decided when the evidence first differed, '' if it never did.
        same_ticks: number of first ticks whose actions are equal, None if only the logs were compared.
        ticks: length of the two episodes, or ().
    """

    problem: str
    compared: int
    diverged: str
    same_ticks: int | None = None
    ticks: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the twin test passed."""
        return not self.problem


def compare_twins(first: dict[str, Any], second: dict[str, Any]) -> TwinResult:
    """Compares the decisions in the outcomes of two episodes on twin instances. A test of nothing fails."""
    one, two = first["decisions"], second["decisions"]
    compared = 0
    for a, b in zip(one, two, strict=False):
        if a["evidence"] != b["evidence"]:
            return _diverged(compared, f"{a['what']} (decision {compared})")
        for key, noun in (("what", "the question"), ("options", "the options"), ("choice", "the choice")):
            if a[key] != b[key]:
                problem = (
                    f"in decision {compared} ({a['what']}) the evidence is equal, "
                    f"but {noun} is {a[key]!r} on one twin and {b[key]!r} on the other"
                )
                return TwinResult(problem, compared, "")
        compared += 1
    if not compared:
        return TwinResult("no decision was logged, so nothing is shown", 0, "")
    longer = one[compared:] or two[compared:]
    if not longer:
        return TwinResult("", compared, "")
    known = one[compared - 1]["evidence"]
    if longer[0]["evidence"] != known:
        return _diverged(compared, f"{longer[0]['what']} (decision {compared}, on one twin only)")
    problem = (
        f"after {compared} equal decisions one twin goes on to decide {longer[0]['what']!r} and the other stops, "
        "though nothing new is known"
    )
    return TwinResult(problem, compared, "")


def _diverged(compared: int, where: str) -> TwinResult:
    if compared:
        return TwinResult("", compared, where)
    return TwinResult("the evidence differs before the first decision, so the twins do not look alike", 0, where)


def compare_recordings(first: Recording, second: Recording) -> TwinResult:
    """As `compare_twins`, with what the actions show. Episodes that were given up show too little and fail."""
    result = compare_twins(first.outcome, second.outcome)
    n = min(first.ticks, second.ticks)
    unequal = np.flatnonzero((first.actions[:n] != second.actions[:n]).any(axis=1))
    same = int(unequal[0]) if len(unequal) else n
    result = replace(result, same_ticks=same, ticks=(first.ticks, second.ticks))
    failed = [r.outcome["reason"] or "no success" for r in (first, second) if r.outcome["success"] is not True]
    if result.ok and failed:
        return replace(result, problem=f"an episode did not succeed ({failed[0]}), so the pair shows too little")
    return result


def run_twins(task: Task, instance: Instance, roots: AssetRoots) -> TwinResult:
    """Runs the task's oracle on an instance and on its twin. Costs two episodes.

    Raises:
        TwinError: the instance has no twin.
    """
    from oracles import load_oracle
    from oracles.runner import run_episode
    from sim.kitchen import compose

    other = task.twin(instance)
    if other is None:
        raise TwinError(f"instance {instance.instance_id} hides nothing, so it has no twin")
    kitchen = compose(instance.kitchen, roots)
    recordings = [
        run_episode(task, load_oracle(task.name), each, task.model(each, kitchen, roots), roots)
        for each in (instance, other)
    ]
    return compare_recordings(*recordings)


def twin_instances(task: Task, roots: AssetRoots, pairs: int, seed: int) -> Iterator[Instance]:
    """`pairs` instances that have a twin, spread over levels, training layouts and styles.

    Raises:
        TwinError: the task gives too few.
    """
    from sim.kitchen import KitchenId, compose

    levels, styles = task.all_levels(), task.styles["train"]
    found = 0
    for k in count():
        if found == pairs:
            return
        if k == pairs * SEEDS_PER_PAIR:
            raise TwinError(f"only {found} of {k} instances of {task.name} have a twin")
        # k and not found: a level that hides nothing never has a twin.
        level = levels[k % len(levels)]
        layouts = task.layouts_for(level, "train")
        kitchen = KitchenId(layouts[found % len(layouts)], styles[found % len(styles)], seed + k)
        try:
            instance = task.sample(seed + k, level, compose(kitchen, roots))
        except SamplingError:
            continue
        if task.twin(instance) is not None:
            found += 1
            yield instance
