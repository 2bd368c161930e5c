"""What must not be in a dataset: an instance twice, or anything kept for evaluation in a training set."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

import tasks
from tasks.base import EVAL_STYLES, SPLITS, Instance
from verify.demonstration import EpisodeReport


def check_duplicates(reports: Sequence[EpisodeReport]) -> Iterator[str]:
    """No two episodes are of one instance, of instances that differ in their seed only, or have the same actions."""
    kinds = {
        "are of the same instance": lambda r: r.instance.get("instance_id", ""),
        "pose the same problem in the same kitchen": lambda r: _problem(r) if r.instance else "",
        "have the same actions": lambda r: r.fingerprint,
    }
    for what, key in kinds.items():
        groups: dict[str, list[int]] = defaultdict(list)
        for report in reports:
            groups[key(report)].append(report.index)
        for value, members in groups.items():
            if value and len(members) > 1:
                yield f"episodes {', '.join(map(str, members))} {what}"


def check_splits(reports: Sequence[EpisodeReport]) -> Iterator[str]:
    """One task and split; a training set has no eval style, eval layout or held-out structure."""
    unread = [r.index for r in reports if not r.instance]
    if unread:
        yield f"the instance of episode {unread[0]} cannot be read"
    known = [r for r in reports if r.instance]
    for key in ("task", "split"):
        values = sorted({r.instance[key] for r in known})
        if len(values) > 1:
            yield f"the episodes are of more than one {key}: {', '.join(values)}"
    for report in known:
        instance = Instance.from_json(report.instance)
        if instance.split not in SPLITS:
            yield f"episode {report.index} is of split {instance.split!r}"
        elif instance.split == "train":
            yield from (f"episode {report.index} is of split train, but {leak}" for leak in _leaks(instance))


def _leaks(instance: Instance) -> Iterator[str]:
    task, kitchen = tasks.load_task(instance.task), instance.kitchen
    if kitchen.style in EVAL_STYLES:
        yield f"style {kitchen.style} is kept for evaluation"
    if kitchen.layout in task.layouts["eval"]:
        yield f"layout {kitchen.layout} is kept for evaluation"
    held_out = getattr(task, "held_out", None)
    if held_out is not None and held_out(instance):
        yield "its structure is kept for evaluation"


def _problem(report: EpisodeReport) -> str:
    record = report.instance
    kitchen = {key: record["kitchen"][key] for key in ("layout", "style")}
    return json.dumps([record["task"], kitchen, record["spec"]], sort_keys=True)
